//! What fails around a model, and what the model itself does: each recorded as what it is.

use super::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tsbench::gateway::{Expired, Finish, Spent};

fn spent(calls: &[Call]) -> Spent {
    let mut spent = Spent::default();
    calls.iter().for_each(|call| spent.add(call));
    spent
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

/// What to do with a connection whose request has been read.
type Treatment = fn(TcpStream) -> std::pin::Pin<Box<dyn std::future::Future<Output = ()> + Send>>;

/// A server that treats every connection so; its address, and how many requests it has read.
async fn raw(treatment: Treatment) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut bytes = vec![0; 64 << 10];
            let _ = stream.read(&mut bytes).await;
            counted.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(treatment(stream));
        }
    });
    (base, count)
}

#[tokio::test]
async fn a_limited_rate_is_waited_for_as_asked_and_each_try_is_kept() {
    let limited = ResponseTemplate::new(429)
        .insert_header("retry-after", "0.03")
        .set_body_json(json!({"error": {"message": "slow down", "code": 429}}));
    let server =
        server(vec![limited.clone(), limited, ResponseTemplate::new(200).set_body_json(answer("hello"))]).await;
    let (end, calls) = ask(&server, &question()).await;
    let reply = end.unwrap();
    assert_eq!(reply.text, "hello");
    assert_eq!(classes(&calls), ["rate_limited", "rate_limited", "reply"]);
    assert_eq!(calls[0].status, Some(429));
    assert_eq!(calls[0].retry_after, Some(0.03));
    assert!(calls[0].error.as_ref().unwrap().contains("slow down"));
    // Twice 0.03 s were asked for, far more than the first waits of this patience.
    assert!(reply.waited_seconds >= 0.06, "{}", reply.waited_seconds);
    assert!(calls.iter().all(|call| call.request == calls[0].request));
    // A refused request costs nothing, and does not make the cost unknown.
    assert!(near(spent(&calls).cost_usd().unwrap(), ANSWER_USD));
    assert_eq!(spent(&calls).usage().unwrap().requests, 3);
}

#[tokio::test]
async fn a_wait_that_is_too_long_is_cut_and_a_rate_that_stays_limited_is_the_providers() {
    let limited = ResponseTemplate::new(429).insert_header("retry-after", "86400").set_body_string("later");
    let server = server(vec![limited]).await;
    let (end, calls) = ask(&server, &question()).await;
    let error = end.unwrap_err();
    assert_eq!((error.class(), error.is_infra()), ("rate_limited", true));
    assert_eq!(calls.len(), 5);
    assert_eq!(calls[4].retry_after, Some(86_400.0));
    assert_eq!(spent(&calls).cost_usd(), Some(0.0));
}

#[tokio::test]
async fn a_failing_server_is_tried_five_times_and_is_not_the_models_fault() {
    let server = server(vec![ResponseTemplate::new(500).set_body_string("<html>oops</html>")]).await;
    let (end, calls) = ask(&server, &question()).await;
    let error = end.unwrap_err();
    assert_eq!(error, GatewayError::Server { status: 500, text: "<html>oops</html>".into() });
    assert!(error.is_infra());
    assert_eq!(classes(&calls), ["server"; 5]);
    assert_eq!(calls[0].response, Some(Value::from("<html>oops</html>")));
}

#[tokio::test]
async fn what_no_try_can_mend_is_tried_once() {
    for (status, class) in
        [(400, "bad_request"), (401, "auth"), (402, "auth"), (403, "auth"), (404, "bad_request"), (302, "bad_request")]
    {
        let server = server(vec![ResponseTemplate::new(status).insert_header("location", "/v1/elsewhere")]).await;
        let (end, calls) = ask(&server, &question()).await;
        let error = end.unwrap_err();
        assert_eq!((error.class(), error.is_infra()), (class, true), "{status}");
        assert_eq!(calls.len(), 1, "{status}");
        assert_eq!(server.received_requests().await.unwrap().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn an_error_within_a_good_status_counts_as_the_status_it_names() {
    let overloaded = json!({"error": {"message": "Overloaded", "code": 503}});
    let server = server(vec![
        ResponseTemplate::new(200).set_body_json(overloaded),
        ResponseTemplate::new(200).set_body_json(answer("ok")),
    ])
    .await;
    let (end, calls) = ask(&server, &question()).await;
    assert_eq!(end.unwrap().text, "ok");
    assert_eq!(classes(&calls), ["server", "reply"]);
    assert!(near(spent(&calls).cost_usd().unwrap(), ANSWER_USD));
}

#[tokio::test]
async fn a_reply_that_its_provider_broke_off_is_asked_for_again_and_each_try_is_paid() {
    let mut broken = answer("half a");
    broken["choices"][0]["finish_reason"] = "error".into();
    broken["choices"][0]["error"] = json!({"code": 502, "message": "upstream went away"});
    let broken = ResponseTemplate::new(200).set_body_json(broken);
    let server = server(vec![broken.clone(), broken, ResponseTemplate::new(200).set_body_json(answer("whole"))]).await;
    let (end, calls) = ask(&server, &question()).await;
    assert_eq!(end.unwrap().text, "whole");
    assert_eq!(classes(&calls), ["server", "server", "reply"]);
    assert!(near(spent(&calls).cost_usd().unwrap(), 3.0 * ANSWER_USD));
}

#[tokio::test]
async fn a_reset_connection_is_tried_again_and_leaves_the_cost_unknown() {
    let (base, count) = raw(|stream| {
        Box::pin(async move {
            // Closed with a reset, not with a goodbye.
            let _ = stream.set_zero_linger();
        })
    })
    .await;
    let (end, calls) = ask_at(&base, "", &question()).await;
    let error = end.unwrap_err();
    assert_eq!((error.class(), error.is_infra()), ("connection", true));
    assert_eq!(classes(&calls), ["connection"; 5]);
    assert_eq!(count.load(Ordering::SeqCst), 5);
    // The requests had been read: nobody knows whether they were served and charged.
    assert_eq!((spent(&calls).cost_usd(), spent(&calls).usage()), (None, None));
}

#[tokio::test]
async fn a_connection_that_breaks_within_an_answer_is_tried_again_and_leaves_the_cost_unknown() {
    let (base, count) = raw(|mut stream| {
        Box::pin(async move {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n{\"choices\": [").await;
        })
    })
    .await;
    let (end, calls) = ask_at(&base, "", &question()).await;
    assert_eq!(end.unwrap_err().class(), "connection");
    assert_eq!((calls.len(), count.load(Ordering::SeqCst)), (5, 5));
    assert_eq!(calls[0].response, Some(Value::from("{\"choices\": [")));
    assert!(calls[0].billable && calls[0].cost_usd.is_none());
}

#[tokio::test]
async fn a_server_that_is_not_there_costs_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let (end, calls) = ask_at(&base, "", &question()).await;
    let error = end.unwrap_err();
    assert_eq!((error.class(), error.is_infra()), ("connection", true));
    assert!(error.to_string().contains("hint:"), "{error}");
    assert_eq!(calls.len(), 5);
    assert_eq!(spent(&calls).cost_usd(), Some(0.0));
}

#[tokio::test]
async fn an_answer_that_goes_silent_is_given_up_and_kept_as_far_as_it_came() {
    let (base, count) = raw(|mut stream| {
        Box::pin(async move {
            let head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\n{\"a\r\n";
            let _ = stream.write_all(head).await;
            tokio::time::sleep(Duration::from_secs(60)).await;
        })
    })
    .await;
    let (end, calls) = ask_at(&base, "idle_seconds = 0.2", &question()).await;
    let error = end.unwrap_err();
    assert_eq!(error, GatewayError::Timeout { what: Expired::Idle, seconds: 0.2 });
    assert!(error.is_infra());
    assert_eq!((calls.len(), count.load(Ordering::SeqCst)), (2, 2), "once more, and no longer");
    assert_eq!((calls[0].status, calls[0].response.clone()), (Some(200), Some(Value::from("{\"a"))));
    assert_eq!((calls[0].billable, calls[0].cost_usd), (true, None));
}

#[tokio::test]
async fn patience_with_a_provider_is_infra_and_the_end_of_the_attempts_own_time_is_not() {
    let slow = ResponseTemplate::new(200).set_body_json(answer("late")).set_delay(Duration::from_secs(30));
    let server = server(vec![slow]).await;
    let base = format!("{}/v1", server.uri());
    let (end, calls) = ask_at(&base, "request_seconds = 0.2", &question()).await;
    let error = end.unwrap_err();
    assert_eq!((error.class(), error.is_infra(), calls.len()), ("timeout", true, 2));
    let (end, calls) = ask_at(&base, "", &Request { seconds_left: 0.2, ..question() }).await;
    let error = end.unwrap_err();
    assert_eq!((error.class(), error.is_infra(), calls.len()), ("time_limit", false, 1));
}

#[tokio::test]
async fn an_answer_of_fifty_megabytes_is_not_swallowed() {
    // One says how much it will be, the other does not and never ends by itself.
    let server = server(vec![ResponseTemplate::new(200).set_body_bytes(vec![b' '; 50 << 20])]).await;
    let (end, calls) = ask(&server, &question()).await;
    assert_eq!(end.unwrap_err(), GatewayError::TooLarge { most: 16 << 20 });
    assert_eq!(calls.len(), 1);
    let (base, _) = raw(|mut stream| {
        Box::pin(async move {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n").await;
            let chunk = [b"100000\r\n".as_slice(), &vec![b'x'; 1 << 20], b"\r\n"].concat();
            while stream.write_all(&chunk).await.is_ok() {}
        })
    })
    .await;
    let (end, calls) = ask_at(&base, "", &question()).await;
    let error = end.unwrap_err();
    assert_eq!((error.class(), error.is_infra(), calls.len()), ("too_large", true, 1));
    assert!(calls[0].response.as_ref().unwrap().as_str().unwrap().len() <= 64 << 10);
}

#[tokio::test]
async fn an_error_status_says_enough_whatever_its_body_does() {
    let huge = ResponseTemplate::new(503).set_body_bytes(vec![b' '; 50 << 20]);
    let server = server(vec![huge, ResponseTemplate::new(200).set_body_json(answer("ok"))]).await;
    let (end, calls) = ask(&server, &question()).await;
    assert_eq!(end.unwrap().text, "ok");
    assert_eq!(classes(&calls), ["server", "reply"]);
}

#[tokio::test]
async fn an_error_status_whose_body_never_comes_is_the_providers_even_when_the_attempts_time_ends() {
    let (base, _) = raw(|mut stream| {
        Box::pin(async move {
            let _ = stream.write_all(b"HTTP/1.1 503 Busy\r\ncontent-length: 10\r\n\r\n").await;
            tokio::time::sleep(Duration::from_secs(60)).await;
        })
    })
    .await;
    let (end, calls) = ask_at(&base, "", &Request { seconds_left: 0.1, ..question() }).await;
    let error = end.unwrap_err();
    assert_eq!((error.class(), error.is_infra(), calls.len()), ("server", true, 5));
    assert_eq!(spent(&calls).cost_usd(), Some(0.0));
}

#[tokio::test]
async fn an_answer_that_is_no_json_is_the_providers_and_may_have_been_paid_for() {
    for body in
        ["{\"choices\": [{\"mess", "", "data: {}", "[]", "{}", "{\"choices\": []}", "{\"choices\": [{\"message\": 3}]}"]
    {
        let server = server(vec![ResponseTemplate::new(200).set_body_string(body)]).await;
        let (end, calls) = ask(&server, &question()).await;
        let error = end.unwrap_err();
        assert_eq!((error.class(), error.is_infra(), calls.len()), ("malformed", true, 5), "{body:?}");
        assert_eq!((calls[0].billable, spent(&calls).cost_usd()), (true, None), "{body:?}");
    }
    let deep = "[".repeat(200_000);
    let server = server(vec![ResponseTemplate::new(200).set_body_string(deep)]).await;
    assert_eq!(ask(&server, &question()).await.0.unwrap_err().class(), "malformed");
}

#[tokio::test]
async fn an_answer_without_a_reply_keeps_its_cost_and_is_asked_for_again() {
    let body = json!({"choices": [], "usage": {"prompt_tokens": 1000, "completion_tokens": 0}});
    let server = server(vec![ResponseTemplate::new(200).set_body_json(body)]).await;
    let (end, calls) = ask(&server, &question()).await;
    assert_eq!((end.unwrap_err().class(), calls.len()), ("malformed", 5));
    assert!(near(spent(&calls).cost_usd().unwrap(), 0.005));
}

#[tokio::test]
async fn missing_usage_leaves_the_cost_unknown_and_the_reply_good() {
    for usage in
        [Value::Null, json!({"prompt_tokens": 5}), json!({"prompt_tokens": -5, "completion_tokens": 1}), json!("many")]
    {
        let mut body = answer("fine");
        body["usage"] = usage.clone();
        let server = server(vec![ResponseTemplate::new(200).set_body_json(body)]).await;
        let (end, calls) = ask(&server, &question()).await;
        let reply = end.unwrap();
        assert_eq!((reply.text.as_str(), reply.usage, reply.cost_usd), ("fine", None, None), "{usage}");
        assert_eq!((spent(&calls).usage(), spent(&calls).cost_usd()), (None, None), "{usage}");
    }
}

#[tokio::test]
async fn an_unknown_price_is_no_price_and_a_free_model_is_free_without_usage() {
    let mut body = answer("fine");
    body["usage"] = Value::Null;
    let server = server(vec![
        ResponseTemplate::new(200).set_body_json(body),
        ResponseTemplate::new(200).set_body_json(answer("x")),
    ])
    .await;
    let mut entry = entry(&format!("{}/v1", server.uri()), "openai", "");
    entry.price = Some(tsbench::gateway::Price::FREE);
    let reply = gateway(&entry).complete(&question(), &mut Vec::new()).await.unwrap();
    assert_eq!((reply.usage, reply.cost_usd), (None, Some(0.0)));
    entry.price = None;
    let reply = gateway(&entry).complete(&question(), &mut Vec::new()).await.unwrap();
    assert_eq!((reply.usage.unwrap().output, reply.cost_usd), (50, None));
}

#[tokio::test]
async fn an_empty_reply_is_the_models_own() {
    for content in [Value::Null, json!(""), json!(" \n"), json!([])] {
        let mut body = answer("");
        body["choices"][0]["message"]["content"] = content;
        let server = server(vec![ResponseTemplate::new(200).set_body_json(body)]).await;
        let (end, calls) = ask(&server, &question()).await;
        let reply = end.unwrap();
        assert!(reply.is_empty());
        assert_eq!(reply.finish, Finish::Stop);
        assert_eq!(calls.len(), 1);
        assert!(near(reply.cost_usd.unwrap(), ANSWER_USD));
    }
}

#[tokio::test]
async fn a_refusal_is_the_models_own_and_is_not_asked_again() {
    let mut spoken = answer("");
    spoken["choices"][0]["message"] = json!({"role": "assistant", "content": null, "refusal": "I will not."});
    let mut filtered = answer("I w");
    filtered["choices"][0]["finish_reason"] = "content_filter".into();
    for (body, text) in [(spoken, "I will not."), (filtered, "I w")] {
        let server = server(vec![ResponseTemplate::new(200).set_body_json(body)]).await;
        let (end, calls) = ask(&server, &question()).await;
        let reply = end.unwrap();
        assert_eq!((reply.text.as_str(), reply.finish), (text, Finish::Refusal));
        assert_eq!(calls.len(), 1);
        assert!(near(calls[0].cost_usd.unwrap(), ANSWER_USD));
    }
}

#[tokio::test]
async fn an_outgrown_context_is_the_models_and_a_first_question_that_does_not_fit_is_ours() {
    let body = json!({"error": {"message": "This model's maximum context length is 8192 tokens.", "code": "context_length_exceeded"}});
    let server = server(vec![ResponseTemplate::new(400).set_body_json(body)]).await;
    let (end, calls) = ask(&server, &later()).await;
    let error = end.unwrap_err();
    assert_eq!((error.class(), error.is_infra()), ("context_overflow", false));
    assert_eq!(calls.len(), 1);
    let (end, _) = ask(&server, &question()).await;
    let error = end.unwrap_err();
    assert_eq!((error.class(), error.is_infra()), ("bad_request", true));
}

#[tokio::test]
async fn a_call_that_the_server_cannot_read_is_a_reply_of_the_model() {
    let body = json!({"error": "error parsing tool call: raw='{\"command\":', err=unexpected end of JSON input"});
    let server = server(vec![ResponseTemplate::new(500).set_body_json(body)]).await;
    let (end, calls) = ask(&server, &later()).await;
    let reply = end.unwrap();
    assert_eq!(reply.finish, Finish::Other("malformed_tool_call".into()));
    assert!(reply.text.contains("raw="));
    assert_eq!((calls.len(), calls[0].billable), (1, true));
}

#[tokio::test]
async fn a_limited_number_of_tries_runs_at_one_time() {
    let slow = ResponseTemplate::new(200).set_body_json(answer("x")).set_delay(Duration::from_millis(50));
    let server = server(vec![slow]).await;
    let entry = entry(&format!("{}/v1", server.uri()), "openai", "concurrent = 1");
    let gateways = gateways();
    let ask = |_| {
        let gateway = gateways.open(&entry, context()).unwrap();
        async move { gateway.complete(&question(), &mut Vec::new()).await.unwrap().waited_seconds }
    };
    let waited = futures_util::future::join_all((0..3).map(ask)).await;
    // One began at once, the others after one and after two answers.
    assert_eq!(waited.iter().filter(|s| **s >= 0.05).count(), 2, "{waited:?}");
    assert_eq!(waited.iter().filter(|s| **s >= 0.1).count(), 1, "{waited:?}");
}
