use std::collections::BTreeMap;
use std::fmt;

/// What one side of an exchange has no place for, or what had to be guessed: told, and never passed over in silence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Losses(BTreeMap<String, Vec<String>>);

/// Tasks that are named for one loss; the rest is counted.
const MOST_NAMED: usize = 3;

impl Losses {
    /// Notes what is lost of a task.
    pub fn add(&mut self, task: &str, what: impl Into<String>) {
        let tasks = self.0.entry(what.into()).or_default();
        if tasks.last().is_none_or(|last| last != task) {
            tasks.push(task.to_owned());
        }
    }

    /// Takes over what another list names.
    pub fn extend(&mut self, other: Losses) {
        for (what, tasks) in other.0 {
            tasks.iter().for_each(|task| self.add(task, what.clone()));
        }
    }

    /// Whether nothing was lost.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Losses {
    /// One line a loss, with the tasks that it is about.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (what, tasks) in &self.0 {
            let named = tasks.iter().take(MOST_NAMED).map(|t| t.escape_debug().to_string());
            let rest = tasks.len().saturating_sub(MOST_NAMED);
            let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
            writeln!(f, "loss: {what} ({}{rest})", named.collect::<Vec<_>>().join(", "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Losses;

    #[test]
    fn one_loss_of_many_tasks_is_one_line() {
        let mut losses = Losses::default();
        for task in ["a", "b", "b", "c", "d", "e"] {
            losses.add(task, "hints_text is not told to agents");
        }
        losses.add("x", "another");
        assert_eq!(
            losses.to_string(),
            "loss: another (x)\nloss: hints_text is not told to agents (a, b, c and 2 more)\n"
        );
    }
}
