/// What a command is, held against the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Another than the last.
    Fresh,
    /// The same again: the model is told.
    Again,
    /// The same too often: the attempt ends, and the command is not run.
    TooOften,
}

/// Counts how often one command was given in a row.
#[derive(Clone, Debug)]
pub struct Repetition {
    most: u32,
    last: String,
    count: u32,
}

impl Repetition {
    /// The `most`-th time in a row is too often.
    pub fn new(most: u32) -> Repetition {
        Repetition { most, last: String::new(), count: 0 }
    }

    /// Takes the next command. Replies without a command are not steps and change nothing.
    pub fn next(&mut self, command: &str) -> Step {
        if self.count > 0 && command == self.last {
            self.count += 1;
        } else {
            command.clone_into(&mut self.last);
            self.count = 1;
        }
        match self.count {
            n if n >= self.most.max(1) && n > 1 => Step::TooOften,
            1 => Step::Fresh,
            _ => Step::Again,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Step::{Again, Fresh, TooOften};

    fn steps(most: u32, commands: &[&str]) -> Vec<Step> {
        let mut rule = Repetition::new(most);
        commands.iter().map(|c| rule.next(c)).collect()
    }

    #[test]
    fn the_third_time_in_a_row_is_too_often_and_another_command_begins_anew() {
        assert_eq!(steps(3, &["a", "a", "a"]), [Fresh, Again, TooOften]);
        assert_eq!(steps(3, &["a", "a", "b", "a", "a"]), [Fresh, Again, Fresh, Fresh, Again]);
        assert_eq!(steps(3, &["", "", ""]), [Fresh, Again, TooOften]);
        assert_eq!(steps(1, &["a", "b", "b"]), [Fresh, Fresh, TooOften]);
    }
}
