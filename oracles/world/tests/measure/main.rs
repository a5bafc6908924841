//! Oracles of the measuring room: task files, what disturbs them, scores and traps.
//! One module for each source; the tests stand here, so that a name is a sentence.

mod chance;
mod disturb;
mod rename;
mod rules;
mod score;
mod small_world;
mod task_file;
mod traps;
mod words;

/// One oracle: its name, and what runs it.
macro_rules! oracles {
    ($($name:ident => $run:path;)*) => {$(
        #[test]
        fn $name() {
            let mut record = obernant::Record::start(stringify!($name));
            $run(&mut record);
            record.finish();
        }
    )*};
}

oracles! {
    a_share_is_the_nearest_number_of_places => chance::sizes;
    each_choice_of_the_size_is_drawn_and_no_other => chance::choices;
    the_draws_are_those_of_the_published_stream => chance::stream;

    a_mask_takes_finite_verbs_alone => words::verbs;
    a_mask_is_written_as_the_verb_was => words::capitals;
    a_possessive_ending_changes_no_name => words::possessives;

    a_word_keeps_its_name_and_no_other_has_it => rename::names;
    other_names_give_the_same_score => rename::scores;

    a_disturbance_changes_what_it_says_alone => disturb::changes;
    a_subject_stands_before_the_first_verb => disturb::subjects;
    a_share_is_at_most_a_hundred_percent => disturb::shares;
    the_steps_together_are_the_steps_one_by_one => disturb::steps;

    a_task_file_is_read_story_by_story => task_file::stories;
    the_first_fault_of_a_line_is_told => task_file::lines;
    lines_and_stories_are_bounded => task_file::limits;

    each_question_is_counted_once => score::tallies;
    answers_differ_by_more_than_case => score::answers;
    a_window_shows_its_statements_alone => score::windows;

    a_trap_is_right_refused_or_wrong => traps::judged;
    a_question_spells_its_subject_as_the_episode => traps::questions;
    the_first_fault_of_a_file_of_traps_is_told => traps::reading;
    columns_may_stand_in_any_order => traps::columns;
}
