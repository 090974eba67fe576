//! The names of a site: texts that may hold digits because they name a thing.

use super::config::Config;
use super::extract::has_digit;
use super::suites::Suites;
use crate::results::Dataset;
use std::collections::HashSet;

/// Every name that configuration and raw files give to a thing.
pub struct Names {
    whole: HashSet<String>,
    words: HashSet<String>,
}

impl Names {
    /// Collects them.
    pub fn new(config: &Config, data: &Dataset, suites: &Suites) -> Names {
        let mut names = Names { whole: HashSet::new(), words: HashSet::new() };
        names.add(&config.title);
        names.add(&config.author);
        for b in &config.boards {
            names.add(&b.title);
            names.add(&b.suite);
        }
        config.models.iter().for_each(|m| [&m.name, &m.id, &m.maker].into_iter().for_each(|n| names.add(n)));
        config.releases.iter().for_each(|r| names.add(&r.version));
        for run in &data.runs {
            let plan = &run.run;
            [&plan.run, &plan.suite, &plan.condition, &plan.agent_word()].into_iter().for_each(|n| names.add(n));
            plan.models.iter().for_each(|m| [&m.name, &m.id, &m.maker].into_iter().for_each(|n| names.add(n)));
            run.variants
                .iter()
                .for_each(|(agent, condition)| [agent, condition].into_iter().for_each(|n| names.add(n)));
            plan.tasks.iter().for_each(|t| names.add(t));
            let told = plan.task_details.iter().flat_map(|d| [&d.title, &d.repo]);
            told.flatten().for_each(|n| names.add(n));
        }
        for s in &suites.list {
            [&s.word, &s.title].into_iter().for_each(|n| names.add(n));
            s.tasks.iter().flat_map(|t| [&t.task, &t.title]).for_each(|n| names.add(n));
        }
        for p in &data.publishers {
            [&p.record.run, &p.record.suite, &p.record.publisher].into_iter().for_each(|n| names.add(n));
        }
        names
    }

    fn add(&mut self, name: &str) {
        if has_digit(name) && self.whole.insert(super::text::clean(name).into_owned()) {
            self.words.extend(super::text::clean(name).split(PARTS).map(|w| w.trim_end_matches('.').to_owned()));
        }
    }

    /// Whether a text is such a name as a whole.
    pub fn holds(&self, text: &str) -> bool {
        self.whole.contains(text.trim())
    }

    /// The first word with a digit that is in none of these names.
    pub fn unexplained<'t>(&self, text: &'t str) -> Option<&'t str> {
        // The last word of a sentence ends in a full stop.
        text.split(PARTS).map(|w| w.trim_end_matches('.')).find(|w| has_digit(w) && !self.words.contains(*w))
    }
}

/// What parts the words of a name, and of a sentence around it.
const PARTS: fn(char) -> bool = |c| c.is_whitespace() || matches!(c, ',' | ':' | ';' | '(' | ')' | '·');
