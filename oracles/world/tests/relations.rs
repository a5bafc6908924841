//! Oracles of relations that no move changes: sizes, kinds with what they fear and
//! their colours, maps, and things before the eye. Every small story is told, each
//! statement as a short word, and numbered from 1.

use std::collections::BTreeSet;

use obernant::{Product, Record, Sequences, Table, Universe};
use world::babi::Id;
use world::babi::lexicon::{DIRECTIONS, POSITIONS};
use world::babi::relations::{Ambiguous, Found, Kinds, Layout, Sizes, direction, position};

const SEVERAL: &str = "several";
const NONE: &str = "none";

/// The numbered statements of a story.
fn told(story: &str) -> Vec<(Id, Vec<char>)> {
    let words = story.split_whitespace().map(|it| it.chars().collect());
    (1..).zip(words).collect()
}

/// One letter as a name.
fn name(letter: char) -> String {
    letter.to_string()
}

/// What is answered. The statements of the witness must be enough for it.
fn answered(found: Found<String>, story: &str, again: impl Fn(&str) -> Found<String>) -> String {
    match found {
        Err(Ambiguous) => SEVERAL.to_owned(),
        Ok(None) => NONE.to_owned(),
        Ok(Some((answer, witness))) => {
            let words: Vec<&str> = story.split_whitespace().collect();
            let kept: Vec<&str> = witness.iter().map(|id| words[id - 1]).collect();
            match again(&kept.join(" ")) {
                Ok(Some((same, _))) if same == answer => answer,
                _ => format!("{answer}, and the witness does not tell it"),
            }
        }
    }
}

/// The story of a sequence of words.
fn story(words: &[&str], case: &[usize]) -> String {
    let words: Vec<&str> = case.iter().map(|&at| words[at]).collect();
    words.join(" ")
}

fn is_bigger(story: &str) -> Found<String> {
    let mut sizes = Sizes::default();
    for (id, word) in told(story) {
        sizes.bigger(&name(word[0]), &name(word[2]), id);
    }
    let found = sizes.is_bigger("a", "b")?;
    Ok(found.map(|(is, witness)| {
        let side = if is { "bigger" } else { "smaller" };
        (format!("{side} by {}", witness.len()), witness)
    }))
}

/// All chains between two of four things.
fn chains(from: char, to: char) -> [Vec<String>; 5] {
    let chain = |between: &str| {
        let all: Vec<char> = format!("{from}{between}{to}").chars().collect();
        let links = all.windows(2);
        links.map(|it| format!("{}>{}", it[0], it[1])).collect()
    };
    ["", "c", "d", "cd", "dc"].map(chain)
}

#[test]
fn sizes_follow_from_the_shortest_chain() {
    let mut record = Record::start("sizes_follow_from_the_shortest_chain");
    let length = record.bound("length", 4);
    let things = ['a', 'b', 'c', 'd'];
    let words: Vec<String> = things
        .iter()
        .flat_map(|big| things.iter().map(move |small| (big, small)))
        .filter(|(big, small)| big != small)
        .map(|(big, small)| format!("{big}>{small}"))
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let universe = Sequences::new(&words, length);
    let run = |_: &[usize], text: &str| answered(is_bigger(text), text, is_bigger);
    let mut table = Table::new("the scale", &universe, |case| story(&words, case), run);
    let sides = [("bigger", chains('a', 'b')), ("smaller", chains('b', 'a'))];
    let accepted = [
        "bigger by 1",
        "bigger by 2",
        "bigger by 3",
        "smaller by 1",
        "smaller by 2",
        "smaller by 3",
        SEVERAL,
    ];
    let due = |case: &[usize]| {
        let all: BTreeSet<&str> = case.iter().map(|&at| words[at]).collect();
        let found: Vec<String> = sides
            .iter()
            .filter_map(|(side, chains)| {
                let told = |chain: &&Vec<String>| chain.iter().all(|it| all.contains(it.as_str()));
                let shortest = chains.iter().filter(told).map(Vec::len).min()?;
                Some(format!("{side} by {shortest}"))
            })
            .collect();
        match &found[..] {
            [] => None,
            [one] => accepted.iter().position(|it| it == one),
            _ => Some(6),
        }
    };
    record.acceptance(&mut table, &accepted, &[NONE], due, |case| {
        let due = due(case).map_or(NONE, |at| accepted[at]);
        format!("the chains between a and b give: {due}")
    });
    // In which order it is told does not matter.
    record.invariance(&mut table, |case| {
        let back: Vec<usize> = case.iter().rev().copied().collect();
        story(&words, &back)
    });
    record.finish();
}

/// `a:k` is a membership, `a=w` a colour, `a!m` a fear.
fn kinds(story: &str) -> Kinds {
    let mut kinds = Kinds::default();
    for (id, word) in told(story) {
        let (who, what) = (name(word[0]), name(word[2]));
        match word[1] {
            ':' => kinds.belongs(&who, &what, id),
            '=' => kinds.colored(&who, &what, id),
            _ => kinds.fears(&who, &what, id),
        }
    }
    kinds
}

#[test]
fn a_fear_is_ones_own_or_that_of_the_kind() {
    let mut record = Record::start("a_fear_is_ones_own_or_that_of_the_kind");
    let length = record.bound("length", 4);
    let words = ["a:k", "a:l", "b:k", "k!m", "k!n", "l!n", "a!m", "b!n"];
    let universe = Sequences::new(words, length);
    let fear = |text: &str| kinds(text).fear("a");
    let run = |_: &[usize], text: &str| answered(fear(text), text, fear);
    let mut table = Table::new("the reader", &universe, |case| story(&words, case), run);
    let due = |case: &[usize]| {
        let has = |word| case.iter().any(|&at| words[at] == word);
        // One of two kinds may be either.
        if has("a:k") && has("a:l") {
            return Some(2);
        }
        let m = has("a!m") || (has("a:k") && has("k!m"));
        let n = (has("a:k") && has("k!n")) || (has("a:l") && has("l!n"));
        match (m, n) {
            (true, true) => Some(2),
            (true, false) => Some(0),
            (false, true) => Some(1),
            (false, false) => None,
        }
    };
    let fears = ["m", "n", SEVERAL];
    record.acceptance(&mut table, &fears, &[NONE], due, |case| {
        format!("a fears: {}", due(case).map_or(NONE, |at| fears[at]))
    });
    record.finish();
}

#[test]
fn a_colour_is_ones_own_or_that_of_the_last_of_the_kind() {
    let mut record = Record::start("a_colour_is_ones_own_or_that_of_the_last_of_the_kind");
    let length = record.bound("length", 5);
    let words = [
        "a:k", "a:l", "b:k", "b:l", "c:k", "b=w", "c=r", "a=g", "a=w",
    ];
    let universe = Sequences::new(words, length);
    let color = |text: &str| kinds(text).color("a");
    let run = |_: &[usize], text: &str| answered(color(text), text, color);
    let mut table = Table::new("the reader", &universe, |case| story(&words, case), run);
    let due = |case: &[usize]| {
        let last = |wanted: &[&str]| {
            let mut back = case.iter().rev().map(|&at| words[at]);
            back.find(|it| wanted.contains(it))
        };
        match (last(&["a=g"]), last(&["a=w"])) {
            (Some(_), Some(_)) => return Some(3),
            (Some(_), None) => return Some(2),
            (None, Some(_)) => return Some(0),
            (None, None) => {}
        }
        if ["a:k", "a:l"].iter().all(|it| last(&[it]).is_some()) {
            return Some(3);
        }
        // Who is introduced as one of the kind, and has a colour.
        let like: Vec<&str> = match last(&["a:k", "a:l"])? {
            "a:k" => vec!["b:k", "c:k"],
            _ => vec!["b:l"],
        };
        let with_color = |it: &&str| match &it[..1] {
            "b" => last(&["b=w"]).is_some(),
            _ => last(&["c=r"]).is_some(),
        };
        let like: Vec<&str> = like.into_iter().filter(with_color).collect();
        last(&like).map(|it| usize::from(it.starts_with('c')))
    };
    let colors = ["w", "r", "g", SEVERAL];
    record.acceptance(&mut table, &colors, &[NONE], due, |case| {
        format!("the colour is: {}", due(case).map_or(NONE, |at| colors[at]))
    });
    record.finish();
}

/// `anb`: a is north of b.
fn map(story: &str) -> Layout {
    let mut map = Layout::default();
    for (id, word) in told(story) {
        let row = DIRECTIONS
            .iter()
            .position(|(_, letter, _)| *letter == name(word[1]));
        let row = row.expect("n, s, e and w are letters of directions");
        map.link(&name(word[0]), direction(row), &name(word[2]), id);
    }
    map
}

#[test]
fn the_shortest_way_is_told_where_there_is_one() {
    let mut record = Record::start("the_shortest_way_is_told_where_there_is_one");
    let edges = ["ab", "ac", "ad", "bc", "bd", "cd"];
    let mut universe = Product::new().with("asked", ["from a to d", "from d to a", "from a to a"]);
    for edge in edges {
        universe = universe.with(edge, ["none", "north", "east", "both"]);
    }
    // The second end lies north or east of the first one.
    let input = |case: &[usize]| {
        let mut words = Vec::new();
        for (edge, link) in edges.iter().zip(&case[1..]) {
            let steps: &[&str] = [&[][..], &["n"], &["e"], &["n", "e"]][*link];
            words.extend(
                steps
                    .iter()
                    .map(|it| format!("{}{it}{}", &edge[1..], &edge[..1])),
            );
        }
        words.join(" ")
    };
    let way = |case: &[usize], text: &str| match case[0] {
        0 => map(text).way("a", "d"),
        1 => map(text).way("d", "a"),
        _ => map(text).way("a", "a"),
    };
    let run = |case: &[usize], text: &str| answered(way(case, text), text, |text| way(case, text));
    let mut table = Table::new("the map", &universe, input, run);
    // Every way from a to d, as its edges with whether they are walked from the first
    // end, and the letters of a step there and back.
    let ways: [&[(usize, bool)]; 5] = [
        &[(2, true)],
        &[(0, true), (4, true)],
        &[(1, true), (5, true)],
        &[(0, true), (3, true), (5, true)],
        &[(1, true), (3, false), (4, true)],
    ];
    let due = |case: &[usize]| {
        if case[0] == 2 {
            return NONE.to_owned();
        }
        let there: Vec<_> = ways
            .iter()
            .filter(|way| way.iter().all(|(edge, _)| case[edge + 1] > 0))
            .collect();
        let Some(shortest) = there.iter().map(|way| way.len()).min() else {
            return NONE.to_owned();
        };
        let [only] = there
            .iter()
            .filter(|it| it.len() == shortest)
            .collect::<Vec<_>>()[..]
        else {
            return SEVERAL.to_owned();
        };
        if only.iter().any(|(edge, _)| case[edge + 1] == 3) {
            return SEVERAL.to_owned();
        }
        let mut letters: Vec<&str> = only
            .iter()
            .map(
                |&(edge, forth)| match (case[edge + 1], forth == (case[0] == 0)) {
                    (1, true) => "n",
                    (1, false) => "s",
                    (_, true) => "e",
                    _ => "w",
                },
            )
            .collect();
        if case[0] == 1 {
            letters.reverse();
        }
        letters.join(",")
    };
    let all: BTreeSet<String> = (0..universe.len())
        .map(|at| due(&universe.case(at)))
        .collect();
    let accepted: Vec<&String> = all.iter().filter(|it| *it != NONE).collect();
    let place = |case: &[usize]| {
        let due = due(case);
        accepted.iter().position(|it| **it == due)
    };
    record.acceptance(&mut table, &accepted, &[NONE], place, |case| {
        format!("the shortest ways are: {}", due(case))
    });
    record.finish();
}

#[test]
fn a_neighbour_is_told_where_there_is_one() {
    let mut record = Record::start("a_neighbour_is_told_where_there_is_one");
    // Each of three places, as it lies to a; said of it, or of a; or said twice.
    let links = [
        "-", "?na", "as?", "?sa", "an?", "?ea", "aw?", "?na ?ea", "as? an?",
    ];
    let mut universe = Product::new().with("asked", ["north of a", "south of a"]);
    for other in ["b", "c", "d"] {
        universe = universe.with(other, links);
    }
    let input = |case: &[usize]| {
        let others = ["b", "c", "d"].into_iter().zip(&case[1..]);
        let told = others.filter(|(_, link)| **link > 0);
        let words: Vec<String> = told
            .map(|(other, link)| links[*link].replace('?', other))
            .collect();
        words.join(" ")
    };
    let row = |case: &[usize]| {
        let wanted = ["north", "south"][case[0]];
        let row = DIRECTIONS.iter().position(|(name, ..)| *name == wanted);
        row.expect("both are directions")
    };
    let beyond = |case: &[usize], text: &str| map(text).beyond("a", direction(row(case)));
    let run =
        |case: &[usize], text: &str| answered(beyond(case, text), text, |it| beyond(case, it));
    let mut table = Table::new("the map", &universe, input, run);
    let due = |case: &[usize]| {
        // As links say; of the last rows one puts a place on two sides.
        let (wanted, unclear): ([usize; 2], &[usize]) =
            [([1, 2], &[7, 8][..]), ([3, 4], &[8][..])][case[0]];
        if case[1..].iter().any(|link| unclear.contains(link)) {
            return Some(3);
        }
        let there: Vec<usize> = (0..3).filter(|at| wanted.contains(&case[at + 1])).collect();
        match there[..] {
            [] => None,
            [only] => Some(only),
            _ => Some(3),
        }
    };
    let places = ["b", "c", "d", SEVERAL];
    record.acceptance(&mut table, &places, &[NONE], due, |case| {
        format!("there lies: {}", due(case).map_or(NONE, |at| places[at]))
    });
    record.finish();
}

/// `aub`: a stands up of b; also d, l and r.
fn layout(story: &str) -> Layout {
    let mut layout = Layout::default();
    for (id, word) in told(story) {
        layout.link(&name(word[0]), position(row(word[1])), &name(word[2]), id);
    }
    layout
}

fn row(letter: char) -> usize {
    let words: &[&str] = match letter {
        'u' => &["above"],
        'd' => &["below"],
        'l' => &["to", "the", "left", "of"],
        _ => &["to", "the", "right", "of"],
    };
    let row = POSITIONS.iter().position(|(it, _)| *it == words);
    row.expect("all four are positions")
}

#[test]
fn one_stands_towards_another_on_a_grid() {
    let mut record = Record::start("one_stands_towards_another_on_a_grid");
    let length = record.bound("length", 3);
    let words = [
        "aub", "adb", "alb", "arb", "auc", "adc", "alc", "arc", "buc", "bdc", "blc", "brc",
    ];
    let universe = Sequences::new(words, length);
    let towards = |text: &str| {
        let found = layout(text).is_towards("a", position(row('u')), "b")?;
        Ok(found.map(|(is, witness)| (if is { "yes" } else { "no" }.to_owned(), witness)))
    };
    let run = |_: &[usize], text: &str| answered(towards(text), text, towards);
    let mut table = Table::new("the eye", &universe, |case| story(&words, case), run);
    // All places of a and c on a grid with b in its middle.
    let grid = || (-2..=2).flat_map(|x: i64| (-2..=2).map(move |y: i64| (x, y)));
    let sides = |case: &[usize]| -> BTreeSet<bool> {
        let fits = |a: (i64, i64), c: (i64, i64)| {
            case.iter().all(|&at| {
                let word: Vec<char> = words[at].chars().collect();
                let place = |letter| match letter {
                    'a' => a,
                    'b' => (0, 0),
                    _ => c,
                };
                let ((x, y), (ox, oy)) = (place(word[0]), place(word[2]));
                match word[1] {
                    'u' => (x, y) == (ox, oy + 1),
                    'd' => (x, y + 1) == (ox, oy),
                    'l' => (x + 1, y) == (ox, oy),
                    _ => (x, y) == (ox + 1, oy),
                }
            })
        };
        let all = grid().flat_map(|a| grid().map(move |c| (a, c)));
        all.filter(|&(a, c)| fits(a, c))
            .map(|(a, _)| a.1 > 0)
            .collect()
    };
    let bound = |case: &[usize], ends: [char; 2]| {
        let is = |at: &usize| ends.iter().all(|end| words[*at].contains(*end));
        case.iter().any(is)
    };
    // Two contradicting statements, of which none speaks of b, hide nothing of it.
    let reaches_b = |case: &[usize]| bound(case, ['a', 'b']) || bound(case, ['b', 'c']);
    let joined = |case: &[usize]| {
        bound(case, ['a', 'b']) || (bound(case, ['a', 'c']) && bound(case, ['b', 'c']))
    };
    record.gates(&mut table, "yes", |case| {
        let sides = sides(case);
        [
            (SEVERAL.to_owned(), reaches_b(case) && sides.is_empty()),
            (NONE.to_owned(), !joined(case)),
            ("no".to_owned(), !sides.contains(&true)),
        ]
    });
    record.finish();
}
