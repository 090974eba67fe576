//! Limits, faults and errors of the interface, in the forms that GitHub documents.

use super::field;
use super::github::{Bench, NOW};
use super::hub::{Hub, Pull};
use serde_json::json;
use std::sync::Arc;
use tsbench::mining::{MiningError, Wanted};
use wiremock::ResponseTemplate;

fn two() -> Vec<Pull> {
    vec![Pull::good(2), Pull::good(1)]
}

async fn bench() -> Bench {
    Bench::new(Hub::of(two())).await
}

/// Mines in spite of these answers; the seconds that it waited.
async fn after(faults: Vec<ResponseTemplate>) -> Vec<u64> {
    let bench = bench().await;
    let count = faults.len();
    faults.into_iter().for_each(|f| bench.hub.fault(f));
    let call = bench.mine(&Wanted::default());
    assert_eq!(call.end.unwrap().seen, 2);
    assert_eq!(bench.asked(), count + 1);
    assert_eq!(field(&bench.candidates(), "id"), ["me__shop-2", "me__shop-1"]);
    call.waits
}

fn limited() -> ResponseTemplate {
    let error = json!({"type": "RATE_LIMITED", "message": "API rate limit exceeded for user ID 1."});
    ResponseTemplate::new(200)
        .insert_header("x-ratelimit-remaining", "0")
        .insert_header("x-ratelimit-reset", (NOW + 90).to_string())
        .set_body_json(json!({"errors": [error]}))
}

fn secondary() -> ResponseTemplate {
    let said = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
    ResponseTemplate::new(403).set_body_json(json!({"message": said, "documentation_url": "x"}))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_primary_limit_is_waited_for_until_it_is_reset() {
    assert_eq!(after(vec![limited()]).await, [91]);
    let forbidden = ResponseTemplate::new(403)
        .insert_header("x-ratelimit-remaining", "0")
        .insert_header("x-ratelimit-reset", (NOW + 5).to_string())
        .set_body_json(json!({"message": "API rate limit exceeded"}));
    assert_eq!(after(vec![forbidden]).await, [6]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secondary_limit_is_waited_for_as_it_asks_or_a_minute_and_twice_as_long_each_time() {
    assert_eq!(after(vec![secondary().insert_header("retry-after", "17")]).await, [17]);
    assert_eq!(after(vec![secondary(), secondary(), secondary()]).await, [60, 120, 240]);
    let in_body = ResponseTemplate::new(200)
        .set_body_json(json!({"errors": [{"message": "You have exceeded a secondary rate limit."}]}));
    assert_eq!(after(vec![in_body.insert_header("retry-after", "3")]).await, [3]);
    assert_eq!(after(vec![ResponseTemplate::new(429).insert_header("retry-after", "2")]).await, [2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_that_does_not_end_is_given_up_with_what_was_found() {
    let bench = bench().await;
    (0..6).for_each(|_| bench.hub.fault(secondary()));
    let call = bench.mine(&Wanted::default());
    assert!(matches!(call.end, Err(MiningError::Limited { tries: 6, .. })));
    assert_eq!(call.waits, [60, 120, 240, 480, 960]);
    bench.mine(&Wanted::default()).end.unwrap();
    assert_eq!(bench.candidates().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_answer_that_uses_the_limit_up_is_used_and_then_waited_after() {
    let pulls: Vec<Pull> = (1..=60).rev().map(Pull::good).collect();
    let hub = Hub::of(pulls);
    let bench = Bench::new(Arc::clone(&hub)).await;
    // A page whose answer is the last that is allowed.
    let page: Vec<serde_json::Value> = Vec::new();
    let last = ResponseTemplate::new(200)
        .insert_header("x-ratelimit-remaining", "0")
        .insert_header("x-ratelimit-reset", (NOW + 40).to_string())
        .set_body_json(json!({"data": {"repository": {"pullRequests": {
            "pageInfo": {"hasNextPage": true, "endCursor": "c:50"}, "nodes": page}}}}));
    hub.fault(last);
    let call = bench.mine(&Wanted::default());
    assert_eq!((call.waits, call.end.unwrap().seen), (vec![41], 10));
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_of_the_server_are_tried_again() {
    let html = || ResponseTemplate::new(502).set_body_string("<html>Unicorn!</html>");
    let empty = ResponseTemplate::new(200)
        .set_body_json(json!({"data": null, "errors": [{"message": "Something went wrong"}]}));
    assert_eq!(after(vec![html(), ResponseTemplate::new(500), empty]).await, [1, 2, 4]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_is_too_large_for_the_server_is_asked_for_in_smaller_ones() {
    let hub = Arc::new(Hub { pulls: (1..=30).rev().map(Pull::good).collect(), most: Some(12), ..Hub::default() });
    let bench = Bench::new(hub).await;
    bench.mine(&Wanted::default()).end.unwrap();
    assert_eq!(bench.candidates().len(), 30);
    let sizes: Vec<u64> = bench.hub.asked().iter().map(|v| v["size"].as_u64().unwrap()).collect();
    assert_eq!(&sizes[..7], [50, 50, 50, 50, 25, 25, 12]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_gives_no_answer_is_asked_a_few_times_and_then_told_of() {
    let answers: [fn() -> ResponseTemplate; 3] = [
        || ResponseTemplate::new(200).set_body_string("<html>"),
        || ResponseTemplate::new(500).set_body_string("oops"),
        || ResponseTemplate::new(200).set_body_json(json!({"data": null})),
    ];
    for answer in answers {
        let bench = bench().await;
        (0..20).for_each(|_| bench.hub.fault(answer()));
        let call = bench.mine(&Wanted::default());
        let told = call.end.unwrap_err().to_string();
        assert!(told.contains("4 times") && told.contains("hint: ") && told.contains("--api"), "{told}");
        assert_eq!((call.waits, bench.asked()), (vec![1, 2, 4], 4), "{told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_beyond_an_hour_is_not_sat_out_but_told_of() {
    let bench = bench().await;
    bench.hub.fault(secondary().insert_header("retry-after", "99999"));
    let call = bench.mine(&Wanted::default());
    let told = call.end.unwrap_err().to_string();
    assert!(told.contains("wait 99999 s") && told.contains("goes on from there after "), "{told}");
    assert_eq!(call.waits, [0u64; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_that_cannot_be_told_of_is_warned_of_and_asked_for_again() {
    let bench = bench().await;
    bench.hub.lost.lock().unwrap().push(0);
    let call = bench.mine(&Wanted::default());
    assert_eq!(call.end.unwrap().seen, 2);
    assert!(call.warnings.len() == 1 && call.warnings[0].contains("Something went wrong"), "{:?}", call.warnings);
    assert_eq!(field(&bench.candidates(), "id"), ["me__shop-1"]);
    assert_eq!(call.waits, [1, 2, 4], "it was tried several times");
    bench.hub.lost.lock().unwrap().clear();
    // Such a page is not kept, so the next call does not find it in the cache.
    bench.mine(&Wanted::default()).end.unwrap();
    assert_eq!(field(&bench.candidates(), "id"), ["me__shop-1", "me__shop-2"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_and_answers_of_another_kind_are_errors_that_say_so() {
    let bench = bench().await;
    let error = |fault: ResponseTemplate| {
        bench.hub.fault(fault);
        bench.mine(&Wanted::default()).end.unwrap_err()
    };
    let forbidden = ResponseTemplate::new(403).set_body_json(json!({"message": "Resource protected by SAML"}));
    let told = error(forbidden).to_string();
    assert!(told.contains("Resource protected by SAML") && told.contains("hint:"), "{told}");
    let scopes = json!({"type": "INSUFFICIENT_SCOPES", "message": "Your token has not been granted the scopes"});
    let scopes = ResponseTemplate::new(200).set_body_json(json!({"data": null, "errors": [scopes]}));
    assert!(matches!(error(scopes), MiningError::Token { .. }));
    let other = ResponseTemplate::new(200).set_body_json(json!({"data": {"repository": {"pullRequests": 7}}}));
    let told = error(other).to_string();
    assert!(told.contains("repository.pullRequests"), "{told}");
    let moved = ResponseTemplate::new(302).insert_header("location", "http://127.0.0.1:1/x");
    assert!(matches!(error(moved), MiningError::Refused { .. } | MiningError::Busy { .. }));
}
