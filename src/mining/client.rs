use super::answer::{Meaning, Trouble, meaning, used_up};
use super::{Api, MiningError, Pages};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::Duration;

/// What a miner takes from the outside: time, and patience.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    /// The time, seconds since 1970.
    pub now: &'a dyn Fn() -> i64,
    /// Waits so long and says why; false where the caller wants no more.
    pub pause: &'a dyn Fn(Duration, &str) -> bool,
}

/// Asks questions, keeps the answers, and obeys the limits.
pub struct Client<'a> {
    api: &'a dyn Api,
    pages: Pages,
    around: Around<'a>,
    /// A wait that the last answer made necessary.
    owed: Option<Duration>,
}

/// An answer, and what was wrong with parts of it.
pub(super) struct Answer<T> {
    pub data: T,
    pub troubles: Vec<Trouble>,
}

/// Tries of one question, limits not counted.
const TRIES: u32 = 4;
/// Tries of a question that is asked anew in a smaller form.
const FEW: u32 = 2;
/// The longest wait. Primary limits end within the hour, and clocks differ; nobody sits out more without being told.
const LONGEST: Duration = Duration::from_secs(3600 + 60);
/// Limits in a row after which it is given up, as GitHub asks for.
const LIMITS: u32 = 6;

impl<'a> Client<'a> {
    /// A client of an interface.
    pub fn new(api: &'a dyn Api, pages: Pages, around: Around<'a>) -> Client<'a> {
        Client { api, pages, around, owed: None }
    }

    /// Asks one question, or takes its kept answer. Errors about parts of an answer are handed on after several tries.
    pub(super) fn ask<T: DeserializeOwned>(
        &mut self,
        query: &str,
        variables: &Value,
    ) -> Result<Answer<T>, MiningError> {
        self.ask_times(query, variables, TRIES)
    }

    /// As [`Client::ask`], for a question that was too large before: it is not tried as often.
    pub(super) fn ask_again<T: DeserializeOwned>(
        &mut self,
        query: &str,
        variables: &Value,
    ) -> Result<Answer<T>, MiningError> {
        self.ask_times(query, variables, FEW)
    }

    fn ask_times<T: DeserializeOwned>(
        &mut self,
        query: &str,
        variables: &Value,
        most: u32,
    ) -> Result<Answer<T>, MiningError> {
        let question = json!({"query": query, "variables": variables}).to_string().into_bytes();
        if let Some(data) = self.pages.get(self.api.address(), &question, (self.around.now)())
            && let Ok(data) = serde_json::from_value(data)
        {
            return Ok(Answer { data, troubles: Vec::new() });
        }
        let (data, troubles) = self.fetch(&question, most)?;
        let read = |data: &Value| serde_path_to_error::deserialize(data);
        let parsed: T = read(&data).map_err(|e| MiningError::Answer {
            address: self.api.address().to_owned(),
            what: format!("{} at {}", e.inner(), e.path()),
        })?;
        if troubles.is_empty() {
            self.pages.put(self.api.address(), &question, (self.around.now)(), &data)?;
        }
        Ok(Answer { data: parsed, troubles })
    }

    fn fetch(&mut self, question: &[u8], most: u32) -> Result<(Value, Vec<Trouble>), MiningError> {
        let (mut tries, mut limits) = (0, 0);
        let address = self.api.address().to_owned();
        loop {
            if let Some(owed) = self.owed.take() {
                self.wait(owed, "the rate limit is used up")?;
            }
            let (why, large, partial) = match self.api.post(question) {
                Err(why) => (why, false, None),
                Ok(reply) => {
                    let now = (self.around.now)();
                    self.owed = used_up(&reply, now);
                    match meaning(&reply, now, limits) {
                        Meaning::Data(data) => return Ok((data, Vec::new())),
                        Meaning::Wait(wait, said) => {
                            limits += 1;
                            self.owed = None;
                            if limits >= LIMITS {
                                return Err(MiningError::Limited { address, what: said, tries: limits });
                            }
                            self.wait(wait, &said)?;
                            continue;
                        }
                        Meaning::Refused(what, hint) => {
                            return Err(MiningError::Refused { address, what, hint: hint.to_owned() });
                        }
                        Meaning::Token(why) => return Err(MiningError::Token { address, why }),
                        Meaning::Again(why, large) => (why, large, None),
                        Meaning::Partial(data, troubles) => {
                            let said = troubles.first().map(|t| t.message.clone()).unwrap_or_default();
                            (said, false, Some((data, troubles)))
                        }
                    }
                }
            };
            tries += 1;
            if tries >= most {
                return partial.ok_or(MiningError::Busy { address, what: why, tries, large });
            }
            self.pause(Duration::from_secs(1 << (tries - 1)), &why)?;
        }
    }

    /// Waits for a limit, or says when it ends where that is too far away.
    fn wait(&self, wait: Duration, why: &str) -> Result<(), MiningError> {
        if wait <= LONGEST {
            return self.pause(wait, why);
        }
        let seconds = wait.as_secs();
        let end = i64::try_from(seconds).ok().and_then(|s| (self.around.now)().checked_add(s));
        let until = end.and_then(|end| jiff::Timestamp::from_second(end).ok()).map(|t| t.to_string());
        Err(MiningError::Later {
            address: self.api.address().to_owned(),
            what: why.to_owned(),
            seconds,
            until: until.unwrap_or_else(|| "that time".to_owned()),
        })
    }

    fn pause(&self, wait: Duration, why: &str) -> Result<(), MiningError> {
        if (self.around.pause)(wait, why) { Ok(()) } else { Err(MiningError::Interrupted) }
    }

    /// The time, RFC 3339.
    pub(super) fn time(&self) -> String {
        super::mirror::time(self.around)
    }

    /// Whether the caller wants to go on.
    pub(super) fn go_on(&self) -> Result<(), MiningError> {
        self.pause(Duration::ZERO, "")
    }
}
