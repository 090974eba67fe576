use super::{Call, Gateway, GatewayError, Message, Reply, Request, Spent};

/// What came of asking a model for one word.
#[derive(Debug)]
pub struct Probe {
    /// The reply, or why there is none.
    pub end: Result<Reply, GatewayError>,
    /// Every try.
    pub calls: Vec<Call>,
}

impl Probe {
    /// What it cost.
    pub fn spent(&self) -> Spent {
        let mut spent = Spent::default();
        self.calls.iter().for_each(|call| spent.add(call));
        spent
    }
}

/// Asks a model for one word: it costs next to nothing and shows what would fail in every attempt of a run.
pub async fn probe(gateway: &dyn Gateway) -> Probe {
    let request = Request {
        messages: vec![Message::user("Reply with the single word ready.")],
        tools: Vec::new(),
        max_output_tokens: 256,
        seconds_left: f64::from(u32::MAX),
    };
    let mut calls = Vec::new();
    let end = gateway.complete(&request, &mut calls).await;
    Probe { end, calls }
}
