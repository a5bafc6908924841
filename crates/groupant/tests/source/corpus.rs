//! Hashes on other people's code: the sources of this workspace's dependencies,
//! as the local registry holds them.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use groupant::source::{Item, Source};
use rayon::prelude::*;

/// A source file of a dependency and the edition that it is written in.
pub(crate) struct Sample {
    pub(crate) place: PathBuf,
    pub(crate) edition: String,
}

/// Larger files are left out: long lists of constants, which show little and
/// take most of the time.
const MAX_BYTES: u64 = 64 << 10;

/// About `wanted` files, evenly spread over all sources of all dependencies.
pub(crate) fn samples(wanted: usize) -> Vec<Sample> {
    let metadata = cargo_metadata::MetadataCommand::new()
        .manifest_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
        .other_options(vec!["--offline".to_owned()])
        .exec()
        .expect("cargo metadata reads this workspace");
    let mut files = Vec::new();
    for package in metadata
        .packages
        .iter()
        .filter(|package| package.source.is_some())
    {
        let folder = package
            .manifest_path
            .parent()
            .expect("a manifest lies in a folder");
        for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
            let place = entry.expect("the registry can be read").into_path();
            let small = fs::metadata(&place).is_ok_and(|file| file.len() <= MAX_BYTES);
            if small && place.extension().is_some_and(|extension| extension == "rs") {
                files.push(Sample {
                    place,
                    edition: package.edition.to_string(),
                });
            }
        }
    }
    files.sort_by(|left, right| left.place.cmp(&right.place));
    let all = files.len();
    let mut number = 0;
    files.retain(|_| {
        number += 1;
        // Where the evenly rising line passes another whole number.
        number * wanted / all > (number - 1) * wanted / all
    });
    files
}

/// The text as rustfmt writes it, or `None` where it refuses.
fn formatted(text: &[u8], edition: &str, config: &str) -> Option<Vec<u8>> {
    let mut child = Command::new("rustfmt")
        .args(["--emit", "stdout", "--edition", edition, "--config", config])
        // Away from any configuration file.
        .current_dir(env::temp_dir())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("rustfmt is part of the toolchain");
    let mut input = child.stdin.take().expect("standard input is a pipe");
    let output = std::thread::scope(|scope| {
        scope.spawn(move || input.write_all(text));
        child.wait_with_output()
    });
    let output = output.expect("rustfmt ends");
    output.status.success().then_some(output.stdout)
}

#[derive(Default, Debug)]
struct Count {
    files: usize,
    unparsed: usize,
    refused: usize,
    items: usize,
    reformatted: usize,
    moved: Vec<String>,
    moved_files: Vec<String>,
}

impl Count {
    fn plus(mut self, other: Self) -> Self {
        self.files += other.files;
        self.unparsed += other.unparsed;
        self.refused += other.refused;
        self.items += other.items;
        self.reformatted += other.reformatted;
        self.moved.extend(other.moved);
        self.moved_files.extend(other.moved_files);
        self
    }
}

fn compare(sample: &Sample, configs: &[&str]) -> Count {
    let mut count = Count {
        files: 1,
        ..Count::default()
    };
    let text = fs::read(&sample.place).expect("a listed file can be read");
    let Ok(before) = Source::parse(&text) else {
        count.unparsed = 1;
        return count;
    };
    for config in configs {
        let Some(other) = formatted(&text, &sample.edition, config) else {
            count.refused += 1;
            continue;
        };
        let after = Source::parse(&other).expect("what rustfmt writes is Rust");
        let name = sample.place.display();
        if before.whole != after.whole || before.production != after.production {
            count.moved_files.push(format!("{name}"));
        }
        let same = |left: &Item, right: &Item| {
            left.path == right.path
                && left.tokens == right.tokens
                && left.signature == right.signature
                && left.size == right.size
                && left.test == right.test
        };
        if before.items.len() != after.items.len() {
            count.moved.push(format!("{name}: another number of items"));
            continue;
        }
        for (left, right) in before.items.iter().zip(&after.items) {
            count.items += 1;
            if text[left.span.clone()] == other[right.span.clone()] {
                continue;
            }
            count.reformatted += 1;
            if !same(left, right) {
                count.moved.push(format!("{name}: {}", left.path));
            }
        }
    }
    count
}

/// One close to the defaults, one as different from it as stable options allow.
const CONFIGS: [&str; 2] = [
    "style_edition=2024",
    "style_edition=2015,max_width=60,tab_spaces=2,use_small_heuristics=Off,\
     fn_params_layout=Compressed,match_block_trailing_comma=true,\
     use_field_init_shorthand=true,newline_style=Windows,match_arm_leading_pipes=Always,\
     force_explicit_abi=false",
];

#[test]
fn no_item_that_rustfmt_changes_gets_another_hash() {
    let samples = samples(600);
    let count = samples
        .par_iter()
        .map(|sample| compare(sample, &CONFIGS))
        .reduce(Count::default, Count::plus);
    println!(
        "{} files ({} unparsed, {} refused by rustfmt), {} items, {} reformatted, {} differing, \
         {} files with another digest",
        count.files,
        count.unparsed,
        count.refused,
        count.items,
        count.reformatted,
        count.moved.len(),
        count.moved_files.len(),
    );
    assert!(
        count.files >= 500,
        "the corpus is too small: {}",
        count.files
    );
    assert!(
        count.reformatted >= 10_000,
        "too little was reformatted: {}",
        count.reformatted
    );
    assert_eq!(count.moved, Vec::<String>::new());
    assert_eq!(count.moved_files, Vec::<String>::new());
}
