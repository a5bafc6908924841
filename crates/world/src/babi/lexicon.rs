//! What the reader knows of English, as tables. A person extends them here; no
//! other file names a word of a class. A word of no table is open: a name, a place,
//! a thing, or a verb that is not understood.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::names::{FEMALE, MALE};

/// What a verb does to people, places and things.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// The agent arrives at a place that follows `to` or `into`.
    Go,
    /// The agent arrives at a place that follows at once.
    Reach,
    /// The agent arrives at a place that follows `at` or `in`.
    Arrive,
    /// The agent is no longer at the place that follows at once.
    Exit,
    /// The agent departs from a place, or lays down a thing.
    Leave,
    /// The agent is at a place that follows `in` or `at`.
    Stay,
    /// The agent holds the thing afterwards.
    Take,
    /// The thing lies where the agent is.
    Drop,
    /// Another person holds the thing afterwards.
    Give,
    /// The thing lies in what follows `in`, `into`, `inside`, `on` or `at`.
    Put,
    /// Agent and thing arrive at a place that follows `to` or `into`.
    Bring,
    /// Agent and thing arrive at a place, where the thing stays.
    Shift,
    /// The thing is no more.
    Consume,
    /// The agent holds the thing.
    Own,
}

/// One verb of a class: its base form, its past form, and the particle without
/// which it does not belong to the class.
#[derive(Clone, Copy, Debug)]
pub struct Verb {
    /// What it does.
    pub class: Class,
    /// As after `did not` and `wanted to`.
    pub base: &'static str,
    /// As in a narrative.
    pub past: &'static str,
    /// Follows the verb or its object.
    pub particle: Option<&'static str>,
}

const fn verb(class: Class, base: &'static str, past: &'static str) -> Verb {
    Verb {
        class,
        base,
        past,
        particle: None,
    }
}

const fn phrasal(
    class: Class,
    base: &'static str,
    past: &'static str,
    particle: &'static str,
) -> Verb {
    Verb {
        class,
        base,
        past,
        particle: Some(particle),
    }
}

/// The verbs that change or state where somebody or something is. A verb belongs to
/// `Go` only where "V to the L" entails arrival: one may head to a place and never
/// get there.
pub const VERBS: &[Verb] = &[
    verb(Class::Go, "go", "went"),
    verb(Class::Go, "move", "moved"),
    verb(Class::Go, "travel", "travelled"),
    verb(Class::Go, "travel", "traveled"),
    verb(Class::Go, "journey", "journeyed"),
    verb(Class::Go, "walk", "walked"),
    verb(Class::Go, "run", "ran"),
    verb(Class::Go, "jog", "jogged"),
    verb(Class::Go, "race", "raced"),
    verb(Class::Go, "rush", "rushed"),
    verb(Class::Go, "hurry", "hurried"),
    verb(Class::Go, "dash", "dashed"),
    verb(Class::Go, "stroll", "strolled"),
    verb(Class::Go, "hike", "hiked"),
    verb(Class::Go, "march", "marched"),
    verb(Class::Go, "drive", "drove"),
    verb(Class::Go, "cycle", "cycled"),
    verb(Class::Go, "come", "came"),
    verb(Class::Go, "return", "returned"),
    verb(Class::Go, "get", "got"),
    verb(Class::Go, "sprint", "sprinted"),
    verb(Class::Go, "trot", "trotted"),
    verb(Class::Go, "skip", "skipped"),
    verb(Class::Go, "hop", "hopped"),
    verb(Class::Go, "crawl", "crawled"),
    verb(Class::Go, "creep", "crept"),
    verb(Class::Go, "tiptoe", "tiptoed"),
    verb(Class::Go, "stride", "strode"),
    verb(Class::Go, "amble", "ambled"),
    verb(Class::Go, "saunter", "sauntered"),
    verb(Class::Go, "swim", "swam"),
    verb(Class::Go, "sail", "sailed"),
    verb(Class::Go, "fly", "flew"),
    verb(Class::Go, "ride", "rode"),
    verb(Class::Go, "speed", "sped"),
    verb(Class::Go, "zoom", "zoomed"),
    verb(Class::Go, "dart", "darted"),
    verb(Class::Go, "scurry", "scurried"),
    verb(Class::Go, "scamper", "scampered"),
    verb(Class::Go, "trudge", "trudged"),
    verb(Class::Go, "wade", "waded"),
    verb(Class::Go, "sneak", "sneaked"),
    verb(Class::Go, "sneak", "snuck"),
    verb(Class::Go, "stagger", "staggered"),
    verb(Class::Go, "limp", "limped"),
    verb(Class::Go, "hobble", "hobbled"),
    verb(Class::Go, "relocate", "relocated"),
    verb(Class::Go, "proceed", "proceeded"),
    verb(Class::Go, "retreat", "retreated"),
    verb(Class::Go, "escape", "escaped"),
    verb(Class::Go, "flee", "fled"),
    verb(Class::Go, "wander", "wandered"),
    verb(Class::Go, "bike", "biked"),
    verb(Class::Go, "gallop", "galloped"),
    verb(Class::Go, "commute", "commuted"),
    verb(Class::Go, "slip", "slipped"),
    verb(Class::Go, "stomp", "stomped"),
    verb(Class::Go, "waltz", "waltzed"),
    verb(Class::Go, "drift", "drifted"),
    verb(Class::Reach, "enter", "entered"),
    verb(Class::Reach, "reach", "reached"),
    verb(Class::Arrive, "arrive", "arrived"),
    verb(Class::Exit, "exit", "exited"),
    verb(Class::Leave, "leave", "left"),
    verb(Class::Stay, "stay", "stayed"),
    verb(Class::Stay, "remain", "remained"),
    verb(Class::Stay, "wait", "waited"),
    verb(Class::Stay, "sit", "sat"),
    verb(Class::Stay, "stand", "stood"),
    verb(Class::Stay, "rest", "rested"),
    verb(Class::Stay, "sleep", "slept"),
    verb(Class::Stay, "work", "worked"),
    verb(Class::Stay, "play", "played"),
    verb(Class::Stay, "study", "studied"),
    verb(Class::Stay, "cook", "cooked"),
    verb(Class::Stay, "hide", "hid"),
    verb(Class::Take, "take", "took"),
    verb(Class::Take, "get", "got"),
    verb(Class::Take, "grab", "grabbed"),
    verb(Class::Take, "seize", "seized"),
    verb(Class::Take, "snatch", "snatched"),
    verb(Class::Take, "collect", "collected"),
    verb(Class::Take, "gather", "gathered"),
    verb(Class::Take, "acquire", "acquired"),
    verb(Class::Take, "obtain", "obtained"),
    verb(Class::Take, "receive", "received"),
    verb(Class::Take, "lift", "lifted"),
    phrasal(Class::Take, "pick", "picked", "up"),
    verb(Class::Drop, "drop", "dropped"),
    verb(Class::Drop, "discard", "discarded"),
    verb(Class::Drop, "release", "released"),
    verb(Class::Drop, "abandon", "abandoned"),
    verb(Class::Drop, "dump", "dumped"),
    verb(Class::Drop, "ditch", "ditched"),
    phrasal(Class::Drop, "put", "put", "down"),
    phrasal(Class::Drop, "set", "set", "down"),
    phrasal(Class::Drop, "lay", "laid", "down"),
    verb(Class::Give, "give", "gave"),
    verb(Class::Give, "hand", "handed"),
    verb(Class::Give, "pass", "passed"),
    verb(Class::Give, "deliver", "delivered"),
    verb(Class::Give, "lend", "lent"),
    verb(Class::Give, "present", "presented"),
    verb(Class::Put, "put", "put"),
    verb(Class::Put, "place", "placed"),
    verb(Class::Put, "set", "set"),
    verb(Class::Put, "lay", "laid"),
    verb(Class::Put, "hide", "hid"),
    verb(Class::Put, "store", "stored"),
    verb(Class::Put, "deposit", "deposited"),
    verb(Class::Put, "stow", "stowed"),
    verb(Class::Bring, "bring", "brought"),
    verb(Class::Bring, "carry", "carried"),
    verb(Class::Bring, "take", "took"),
    verb(Class::Bring, "transport", "transported"),
    verb(Class::Bring, "haul", "hauled"),
    verb(Class::Bring, "drag", "dragged"),
    verb(Class::Bring, "lug", "lugged"),
    verb(Class::Bring, "deliver", "delivered"),
    verb(Class::Shift, "move", "moved"),
    verb(Class::Shift, "return", "returned"),
    verb(Class::Consume, "eat", "ate"),
    verb(Class::Consume, "drink", "drank"),
    verb(Class::Consume, "devour", "devoured"),
    verb(Class::Consume, "swallow", "swallowed"),
    verb(Class::Own, "have", "has"),
    verb(Class::Own, "hold", "held"),
];

/// What may stand between a verb of motion and its goal, and changes nothing.
pub const BY_THE_WAY: &[&str] = &["back", "over", "down", "straight", "along", "out"];

/// Verbs after which what is said did not happen: "wanted to go".
pub const INTENTIONS: &[&str] = &[
    "want", "wants", "wanted", "plan", "plans", "planned", "hope", "hopes", "hoped", "intend",
    "intends", "intended", "wish", "wishes", "wished",
];

/// Words that put what is said, or what follows, outside of what happened. A
/// sentence with one is never read, nor one whose verb it is.
const UNREAL: &str = "
    almost nearly allegedly apparently reportedly supposedly seemingly maybe perhaps
    possibly probably likely presumably hardly barely scarcely rarely seldom if unless
    whether would could should might've must can cannot can't couldn't wouldn't
    shouldn't ought dream dreams dreamed dreamt imagine imagines imagined pretend
    pretends pretended think thinks believe believes say says tell tells hear hears
    heard suppose supposed guess guessed claim claims lie lied joke joked remember
    remembered forget forgot deny denied promise promised read write wrote ask asked
    answer answered refuse refused fail failed decide decided try tried attempt
    attempted seem seemed appear appeared know knew doubt doubted wonder wondered expect
    expected agree agreed offer offered threaten threatened mean meant need needed
    have-to used keep kept begin began start started stop stopped wake woke
    undo undid actually really instead except however although though because since
    until till lest otherwise rather without
";

/// Verbs that report what somebody said or thought, which need not be so.
pub const REPORTS: &[&str] = &["said", "told", "thought", "believed", "claimed"];

/// Words of questions that no statement needs.
const ASKING: &str = "
    color colour object objects thing things item items receive received
";

/// Words of grammar. None of them is a name, a place, a thing or a verb.
const GRAMMAR: &str = "
    the a an this that these those my your his her its our their hers mine yours ours
    theirs some any no every each all both either neither another other others same such
    many much few several most more less none one two three i you he she it we they me
    him us them myself himself herself itself themselves who whom whose which what where
    when why how there here is are was were be been being am isn't aren't wasn't weren't
    do does did don't doesn't didn't has have had having hasn't haven't hadn't will
    won't shall may might not never to into in inside at on onto of off from toward
    towards through by with but for about around near behind beside besides between among
    under over above below along across past out outside up down back away together
    alone before after during while as than and or nor so then next later afterward
    afterwards following finally soon earlier previously meanwhile again also too still
    already yet just only even once now ago longer first last second third yes okay
    please oh let let's there's it's he's she's they're that's everywhere somewhere
    nowhere anywhere home abroad indoors outdoors upstairs downstairs yesterday today
    tomorrow tonight morning afternoon evening night noon midnight straight everyone
    everybody someone somebody anyone anybody nobody everything something nothing
    anything mr mrs ms dr
";

/// Nouns that mean people without naming them. One may stand for a person of the
/// story under another word, so that none is read as a name or a thing.
const PEOPLE: &str = "
    person people man men woman women boy boys girl girls child children kid kids baby
    babies lady ladies gentleman guy guys fellow adult adults teenager teenagers friend
    friends neighbor neighbors neighbour neighbours guest guests visitor visitors
    stranger strangers mother father mom mum dad mommy daddy parent parents brother
    brothers sister sisters son sons daughter daughters twin twins husband wife uncle
    aunt cousin cousins nephew niece grandmother grandfather grandma grandpa family
    families couple pair group crowd team class teacher teachers student students pupil
    pupils doctor nurse cook chef driver farmer soldier soldiers king queen prince
    princess boss worker workers waiter waitress policeman officer thief thieves witch
    wizard hero traveler traveller player players member members rest former latter
    actor actress artist astronaut author baker banker barber bishop boatman
    builder burglar butcher butler captain carpenter cashier cleaner clerk clown
    coach colonel conductor criminal customer dancer dentist detective director duke
    duchess editor electrician emperor empress enemy engineer expert fireman firefighter
    fisherman florist gardener general giant girlfriend boyfriend goddess governor guard
    guide hairdresser hunter host hostess inspector janitor judge knight lawyer
    leader librarian magician maid manager mayor mechanic merchant messenger miner
    minister monk musician nanny neighbour nun owner painter passenger patient
    photographer pianist pilot pirate plumber poet porter postman preacher president
    priest principal prisoner professor programmer reporter robber sailor scientist secretary
    sergeant servant shepherd sheriff shopkeeper singer sculptor spy surgeon swimmer
    tailor toddler tourist tutor twin vet victim villager volunteer warrior
    watchman winner woodcutter writer youngster human being beings bride groom
    genius rival colleague colleagues partner roommate classmate classmates companion companions
    ghost angel devil elf fairy
";

/// Things that hold things and not people. What lies in one is where it is.
const CONTAINERS: &str = "
    box bag basket suitcase chest drawer cup bottle container crate pocket jar bucket
    backpack case pot pan bowl plate tray purse wallet sack trunk cupboard fridge
    refrigerator oven table chair shelf desk floor ground bed sofa couch counter bench
    stool wall window cart trolley safe bin tin can envelope folder tank hat hand hands
    mouth lap car bus train boat truck van
";

/// What one may go to, come to or be in without being at another place: furniture,
/// parts of a place, conditions, matters of the mind.
const NO_PLACES: &str = "
    race match goal target limit shadow sunlight queue line work job chase entrance exit rear
    crowd trap auction mail post competition contest tournament conversation discussion debate war army navy
    list lottery union end beginning start meantime middle top front side corner edge way time moment hurry mood
    rush rain sun dark cold water sky air mud shade silence peace love trouble danger pain tears
    decision conclusion agreement point idea plan rescue help meeting party concert game lesson
    lecture password news phone internet mirror picture photo photograph dream story book play
    film movie song head mind heart room-service sink stove door gate stairs staircase fireplace
    fence tree stage piano television tv computer radio clock bell light fire pillar column
    toilet shower bath tub taxi cab plane ship bike bicycle subway metro tram ferry elevator lift
";

/// What one takes, gets or gives, and nobody holds.
const INTANGIBLE: &str = "
    call kiss hug look glance smile nap bath shower walk break breath seat rest ride trip turn
    chance hand lift lesson talk speech idea name answer question promise word order permission
    advice road path way lead job photo picture bow step time care part place role sight notice
    cold train bus car taxi cab plane ship boat bike bicycle subway metro tram ferry elevator
    stairs truck van truth hint sign signal warning start shot point grade prize-money
    flu exam test opportunity blame credit risk course oath vote medicine meeting party
    election record breakthrough message award title joke hang pace habit measure initiative
    liberty pleasure headache fever fright shock surprise scare
";

/// Nouns for many kinds of things and places. One may stand for a thing of the story
/// under another word, so that none is read.
const GENERIC: &str = "
    load burden stuff belongings luggage baggage cargo goods fruit food drink toy tool animal pet
    treasure snack meal beverage furniture clothes vehicle weapon instrument device machine
    possessions contents room house building place spot area site rest outside inside
    one ones
";

/// Adverbs and such that may follow a noun and are no part of it.
const ADVERBS: &str = "
    alone unnoticed twice thrice barefoot early late fast hard often sometimes always indeed
    anyway perhaps else elsewhere nearby nonstop daily weekly despite against beyond beneath
    within opposite via per like unlike throughout amid amidst plus minus versus upon concerning
    whenever wherever whoever whatever assuming supposing provided providing given regarding beforehand nonetheless nevertheless therefore thus hence meanwhile
    monday tuesday wednesday thursday friday saturday sunday january february march april june
    july august september october november december
";

/// Adverbs of manner: how, and not whether.
const MANNER: &str = "
    quickly slowly quietly silently happily sadly carefully calmly eagerly suddenly
    softly immediately cheerfully gently promptly
";

/// What orders a sentence after the one before it and says nothing else.
pub const SEQUENCERS: &[&[&str]] = &[
    &["after", "that"],
    &["following", "that"],
    &["and", "then"],
    &["then"],
    &["afterwards"],
    &["afterward"],
    &["later"],
    &["later", "on"],
    &["next"],
    &["finally"],
    &["soon"],
    &["soon", "after"],
    &["shortly", "after"],
    &["a", "moment", "later"],
];

/// What says that a sentence speaks of a time before the one that was told.
pub const FLASHBACKS: &[&[&str]] = &[
    &["earlier"],
    &["before", "that"],
    &["previously"],
    &["earlier", "on"],
];

/// A day and the parts of the next, in the order in which they pass. None is a part of
/// another, so that any two have an order.
pub const DATES: &[&[&str]] = &[
    &["yesterday"],
    &["this", "morning"],
    &["this", "afternoon"],
    &["this", "evening"],
];

/// Colours.
const COLORS: &str = "
    white black gray grey red green blue yellow brown pink purple orange golden silver
";

/// What somebody feels, and the place where one goes for it. That one sleeps in a
/// bedroom and eats in a kitchen is knowledge of the world that no story repeats.
const MOTIVES: &[(&str, &str)] = &[
    ("hungry", "kitchen"),
    ("thirsty", "kitchen"),
    ("tired", "bedroom"),
    ("sleepy", "bedroom"),
    ("bored", "garden"),
];

/// Plural nouns whose singular no rule gives.
const IRREGULAR: &[(&str, &str)] = &[
    ("mice", "mouse"),
    ("lice", "louse"),
    ("wolves", "wolf"),
    ("elves", "elf"),
    ("shelves", "shelf"),
    ("halves", "half"),
    ("thieves", "thief"),
    ("leaves", "leaf"),
    ("calves", "calf"),
    ("loaves", "loaf"),
    ("knives", "knife"),
    ("wives", "wife"),
    ("lives", "life"),
    ("sheep", "sheep"),
    ("geese", "goose"),
    ("fish", "fish"),
    ("deer", "deer"),
    ("oxen", "ox"),
    ("teeth", "tooth"),
    ("feet", "foot"),
    ("zombies", "zombie"),
    ("cookies", "cookie"),
    ("pies", "pie"),
    ("ties", "tie"),
    ("buses", "bus"),
];

/// Four directions with their letter, the opposite, and a step on a map to it.
pub const DIRECTIONS: &[(&str, &str, (i64, i64))] = &[
    ("north", "n", (0, 1)),
    ("south", "s", (0, -1)),
    ("east", "e", (1, 0)),
    ("west", "w", (-1, 0)),
];

/// Relations of two things before the eye, with the step that each means.
pub const POSITIONS: &[(&[&str], (i64, i64))] = &[
    (&["above"], (0, 1)),
    (&["below"], (0, -1)),
    (&["under"], (0, -1)),
    (&["to", "the", "left", "of"], (-1, 0)),
    (&["to", "the", "right", "of"], (1, 0)),
    (&["left", "of"], (-1, 0)),
    (&["right", "of"], (1, 0)),
];

/// Words of sizes and fears.
const RELATIONS: &str = "afraid bigger smaller larger fits fit carrying holding";

/// Small numbers as words.
const NUMBERS: &[&str] = &[
    "none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
];

/// What a given name says of the person's gender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gender {
    /// He.
    Male,
    /// She.
    Female,
}

static CLOSED: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let lists = [
        UNREAL, ASKING, GRAMMAR, PEOPLE, GENERIC, ADVERBS, MANNER, COLORS, RELATIONS,
    ];
    let words = lists.into_iter().flat_map(str::split_whitespace);
    let rows = [INTENTIONS, REPORTS, BY_THE_WAY, NUMBERS];
    let phrases = [SEQUENCERS, FLASHBACKS, DATES];
    words
        .chain(rows.into_iter().flatten().copied())
        .chain(phrases.into_iter().flatten().copied().flatten().copied())
        .chain(POSITIONS.iter().flat_map(|(phrase, _)| *phrase).copied())
        .chain(MOTIVES.iter().map(|(state, _)| *state))
        .chain(DIRECTIONS.iter().map(|(name, ..)| *name))
        .collect()
});

static UNREAL_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| words(UNREAL));
static CONTAINER_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| words(CONTAINERS));
static NO_PLACE_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| words(NO_PLACES));
static INTANGIBLE_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| words(INTANGIBLE));
static MANNER_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| words(MANNER));
static COLOR_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| words(COLORS));

fn words(list: &'static str) -> HashSet<&'static str> {
    list.split_whitespace().collect()
}

static VERB_FORMS: LazyLock<HashMap<&'static str, Vec<&'static Verb>>> = LazyLock::new(|| {
    let mut forms: HashMap<_, Vec<_>> = HashMap::new();
    for verb in VERBS {
        forms.entry(verb.past).or_default().push(verb);
    }
    forms
});

static BASE_FORMS: LazyLock<HashMap<&'static str, Vec<&'static Verb>>> = LazyLock::new(|| {
    let mut forms: HashMap<_, Vec<_>> = HashMap::new();
    for verb in VERBS {
        forms.entry(verb.base).or_default().push(verb);
    }
    forms
});

static GENDERS: LazyLock<HashMap<&'static str, Gender>> = LazyLock::new(|| {
    let list = |names: &'static str, gender| names.split_whitespace().map(move |it| (it, gender));
    list(MALE, Gender::Male)
        .chain(list(FEMALE, Gender::Female))
        .collect()
});

/// Whether a table holds this word (in lower case). A word that none holds is open:
/// a name, a place, a thing, or a verb that is not understood.
#[must_use]
pub fn is_known(word: &str) -> bool {
    is_closed(word) || VERB_FORMS.contains_key(word) || BASE_FORMS.contains_key(word)
}

/// Whether this word (in lower case) can't be a name, a noun or a verb.
#[must_use]
pub fn is_closed(word: &str) -> bool {
    CLOSED.contains(word)
}

/// Whether this is a finite form of a verb that the reader understands, `is` too.
#[must_use]
pub fn is_verb(word: &str) -> bool {
    matches!(word, "is" | "are" | "fits") || VERB_FORMS.contains_key(word)
}

/// The verbs of which this word is the form of a narrative. "She goes" may tell a
/// habit and is none.
#[must_use]
pub fn past(word: &str) -> &'static [&'static Verb] {
    VERB_FORMS.get(word).map_or(&[], Vec::as_slice)
}

/// The verbs of which this word is the base form.
#[must_use]
pub fn base(word: &str) -> &'static [&'static Verb] {
    BASE_FORMS.get(word).map_or(&[], Vec::as_slice)
}

/// Whether this word puts its sentence outside of what happened.
#[must_use]
pub fn is_unreal(word: &str) -> bool {
    UNREAL_WORDS.contains(word)
}

/// Whether this noun is a thing that holds things and not people.
#[must_use]
pub fn is_container(noun: &str) -> bool {
    let head = head(noun);
    let one = singular(head);
    CONTAINER_WORDS.contains(head) || one.is_some_and(|it| CONTAINER_WORDS.contains(it.as_str()))
}

/// Whether one who goes to this noun, or is in it, may stay at another place.
#[must_use]
pub fn is_no_place(noun: &str) -> bool {
    is_container(noun) || NO_PLACE_WORDS.contains(head(noun))
}

/// Whether one may take or give this and nobody holds it.
#[must_use]
pub fn is_intangible(noun: &str) -> bool {
    INTANGIBLE_WORDS.contains(head(noun))
}

fn head(noun: &str) -> &str {
    noun.rsplit(' ').next().unwrap_or(noun)
}

/// Whether this adverb tells how something was done.
#[must_use]
pub fn is_manner(word: &str) -> bool {
    MANNER_WORDS.contains(word)
}

/// Whether this word is a colour.
#[must_use]
pub fn is_color(word: &str) -> bool {
    COLOR_WORDS.contains(word)
}

/// The place where one goes in this state; none where the word is no state.
#[must_use]
pub fn motive_place(state: &str) -> Option<&'static str> {
    let found = MOTIVES.iter().find(|(word, _)| *word == state);
    found.map(|(_, place)| *place)
}

/// Whether some state has this place.
#[must_use]
pub fn is_motive_place(place: &str) -> bool {
    MOTIVES.iter().any(|(_, it)| *it == place)
}

/// The singular of a plural noun; none where this is no plural.
#[must_use]
pub fn singular(word: &str) -> Option<String> {
    if let Some((_, singular)) = IRREGULAR.iter().find(|(plural, _)| *plural == word) {
        return Some((*singular).to_owned());
    }
    let stem = word.strip_suffix('s')?;
    if stem.len() < 2 || stem.ends_with(['s', 'u', 'i']) {
        return None;
    }
    if let Some(stem) = stem.strip_suffix("ie") {
        return Some(format!("{stem}y"));
    }
    // "boxes", "walruses", "torches", "mosquitoes", and not "roses".
    let bare = stem.strip_suffix('e');
    let is_long = |bare: &&str| {
        ["us", "ss", "x", "ch", "sh", "z", "o"]
            .iter()
            .any(|end| bare.ends_with(end))
    };
    Some(bare.filter(is_long).unwrap_or(stem).to_owned())
}

/// A small number as a word; beyond ten in digits.
#[must_use]
pub fn number(count: usize) -> String {
    NUMBERS
        .get(count)
        .map_or_else(|| count.to_string(), |&word| word.to_owned())
}

/// The gender that a given name (in lower case) tells; none where it is not in the
/// table, or given to both.
#[must_use]
pub fn gender(name: &str) -> Option<Gender> {
    let first = name.split(' ').next().unwrap_or(name);
    GENDERS.get(first).copied()
}
