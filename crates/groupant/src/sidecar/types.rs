//! The table of model types: every type name of the seed documents, and the
//! check that an oracle of such a model must have run to its end. The names of
//! the checks are those that `obernant` writes into a record.

/// The first type of every sidecar.
pub const COMPLEMENT: &str = "behavior_complement";
/// The second type of every sidecar.
pub const RECONSTRUCTION: &str = "reverse_reconstruction";

const TYPES: &[(&str, &str)] = &[
    (COMPLEMENT, "complement"),
    (RECONSTRUCTION, "reconstruction"),
    ("capability_event_complement", "complement"),
    ("effort_reachability", "complement"),
    ("lexical_acceptance_complement", "complement"),
    ("liveness_counterexample", "complement"),
    ("temporal_identity_complement", "complement"),
    ("configuration_preimage", "reconstruction"),
    ("last_assignment_preimage", "reconstruction"),
    ("lossy_projection_preimage", "reconstruction"),
    ("persistence_information_loss", "reconstruction"),
    ("provenance_projection_preimage", "reconstruction"),
    ("single_completion_preimage", "reconstruction"),
    ("timeout_budget_preimage", "reconstruction"),
    ("error_partition", "partition"),
    ("identity_partition", "partition"),
    ("launch_policy_constraint", "partition"),
    ("whitespace_boundary", "partition"),
    ("first_failure_partition", "gates"),
    ("extension_invariance", "invariance"),
    ("information_flow_projection", "invariance"),
    ("resource_budget_complement", "budget"),
    ("cleanup_reachability", "ordering"),
];

/// The check that a type asks for; `None` where the type is unknown.
#[must_use]
pub fn check_of(name: &str) -> Option<&'static str> {
    TYPES
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, check)| *check)
}

/// The known type nearest to a misspelt one, for the help line.
#[must_use]
pub fn nearest(name: &str) -> &'static str {
    TYPES
        .iter()
        .map(|(known, _)| *known)
        .min_by_key(|known| distance(known, name))
        .unwrap_or(COMPLEMENT)
}

/// Number of single-character edits between two names.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, from) in left.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for (column, to) in right.iter().enumerate() {
            let cost = diagonal + usize::from(from != *to);
            diagonal = row[column + 1];
            row[column + 1] = cost.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_type_is_led_to_the_known_one() {
        assert_eq!(check_of("behaviour_complement"), None);
        assert_eq!(nearest("behaviour_complement"), COMPLEMENT);
        assert_eq!(check_of("error_partition"), Some("partition"));
    }
}
