//! A key goes to its model's address and nowhere else.

use super::*;

/// Everything that is kept or shown of a request that failed.
async fn shown(answer: ResponseTemplate) -> String {
    let server = server(vec![answer]).await;
    let (end, calls) = ask(&server, &question()).await;
    let sent = server.received_requests().await.unwrap().remove(0);
    assert_eq!(sent.headers["authorization"], format!("Bearer {CANARY}").as_str());
    format!(
        "{end:?} {calls:?} {} {}",
        serde_json::to_string(&calls).unwrap(),
        end.as_ref().map_or_else(ToString::to_string, |r| r.text.clone())
    )
}

#[tokio::test]
async fn a_provider_that_repeats_the_key_reveals_it_in_no_call_and_no_error() {
    let body = json!({"error": {"message": format!("Incorrect API key provided: {CANARY}."), CANARY: [CANARY]}});
    for answer in [
        ResponseTemplate::new(401).set_body_json(&body),
        ResponseTemplate::new(500).set_body_json(&body),
        ResponseTemplate::new(404).set_body_string(format!("no {CANARY} here")),
        ResponseTemplate::new(200).set_body_string(format!("not JSON but {CANARY}")),
        ResponseTemplate::new(200).set_body_json(&body),
    ] {
        let shown = shown(answer).await;
        assert!(!shown.contains(CANARY), "{shown}");
        assert!(shown.contains("[redacted]"), "{shown}");
    }
}

#[tokio::test]
async fn a_key_that_a_provider_says_reaches_neither_the_agent_nor_the_record() {
    let server = server(vec![ResponseTemplate::new(200).set_body_json(answer(&format!("echo {CANARY}")))]).await;
    let (end, calls) = ask(&server, &question()).await;
    assert_eq!(end.unwrap().text, "echo [redacted]", "what a model says goes into a sandbox");
    assert!(!serde_json::to_string(&calls).unwrap().contains(CANARY));
}

#[tokio::test]
async fn a_key_that_the_conversation_holds_is_sent_and_not_recorded() {
    let server = server(vec![ResponseTemplate::new(200).set_body_json(answer("ok"))]).await;
    let mut request = question();
    request.messages.push(Message::user(format!("I found {CANARY}")));
    let (_, calls) = ask(&server, &request).await;
    assert!(String::from_utf8_lossy(&server.received_requests().await.unwrap()[0].body).contains(CANARY));
    let mock = gateways().open(&Models::default().find("mock/empty").unwrap(), context()).unwrap();
    let mut more = Vec::new();
    mock.complete(&request, &mut more).await.unwrap();
    for record in [serde_json::to_string(&calls).unwrap(), serde_json::to_string(&more).unwrap()] {
        assert!(record.contains("I found [redacted]") && !record.contains(CANARY), "{record}");
    }
}

#[tokio::test]
async fn half_a_key_is_not_recorded_either() {
    // Cut by the most characters of an error, by the most bytes of a record, and by the end of the answer.
    let words = |before: usize| format!("{}{CANARY}", "x ".repeat(before / 2));
    for answer in [
        ResponseTemplate::new(404).set_body_json(json!({"error": {"message": words(490)}})),
        ResponseTemplate::new(404).set_body_string(words(490)),
        ResponseTemplate::new(200).set_body_string(words((64 << 10) - 20)),
        ResponseTemplate::new(200).set_body_string(format!("cut in {}", &CANARY[..20])),
    ] {
        let shown = shown(answer).await;
        assert!(!shown.contains(&CANARY[..9]), "{}", &shown[shown.len().saturating_sub(2000)..]);
    }
}

#[test]
fn nothing_that_can_be_printed_prints_a_key() {
    let secrets = secrets();
    assert_eq!(secrets.key("THEIR_KEY"), Some(CANARY));
    let gateways = Gateways::new(secrets.clone());
    let models = models("http://127.0.0.1:9/v1", "openai", "");
    let printed = format!("{secrets:?} {secrets:#?} {gateways:?} {models:?}");
    assert!(printed.contains("THEIR_KEY") && !printed.contains(CANARY), "{printed}");
    // A key with a line break cannot be sent, and the error does not show it.
    let broken = Secrets::gather([("THEIR_KEY".into(), format!("{CANARY}\nx"))], None, ["THEIR_KEY"]);
    let error = Gateways::new(broken).open(&models.list[0], context()).err().unwrap();
    assert!(!format!("{error} {error:?}").contains(CANARY), "{error}");
}

#[test]
fn a_missing_key_is_named_by_its_variable() {
    let entry = entry("http://127.0.0.1:9/v1", "openai", "");
    for value in ["", "  "] {
        let secrets = Secrets::gather([("THEIR_KEY".to_owned(), value.to_owned())], None, ["THEIR_KEY"]);
        let error = tsbench::gateway::open(&entry, &secrets, context()).err().unwrap();
        assert_eq!(error.class(), "missing_key");
        assert!(error.to_string().contains("THEIR_KEY") && error.to_string().contains("hint:"), "{error}");
    }
}

#[test]
fn secrets_of_environment_and_dotenv_are_redacted_however_they_are_written() {
    let environment = [
        ("PATH".to_owned(), "/usr/bin:/bin:/usr/local/bin".to_owned()),
        ("CLOUD_TOKEN".to_owned(), "from-the-environment\"quoted".to_owned()),
        ("BOTH_KEY".to_owned(), "the-environment-wins".to_owned()),
        ("SHORT_KEY".to_owned(), "abc".to_owned()),
    ];
    let dotenv = "# comment\nexport PLAIN='single quoted value'\nBOTH_KEY=\"the-file-has-another\"\nBARE=bare-value-here # why\nodd line\n";
    let secrets = Secrets::gather(environment, Some(dotenv), []);
    assert_eq!(secrets.key("PLAIN"), Some("single quoted value"));
    assert_eq!(secrets.key("BARE"), Some("bare-value-here"));
    assert_eq!(secrets.key("BOTH_KEY"), Some("the-environment-wins"));
    assert_eq!(secrets.key("PATH"), None);
    for (text, clean) in [
        ("a single quoted value b", "a [redacted] b"),
        ("single%20quoted%20value", "[redacted]"),
        ("{\"x\":\"from-the-environment\\\"quoted\"}", "{\"x\":\"[redacted]\"}"),
        ("the-environment-winsthe-file-has-another", "[redacted][redacted]"),
        ("abc /usr/bin:/bin:/usr/local/bin", "abc /usr/bin:/bin:/usr/local/bin"),
    ] {
        assert_eq!(secrets.redact(text), clean);
    }
    assert_eq!(
        secrets.redact_json(json!({"bare-value-here": ["x bare-value-here"]})),
        json!({"[redacted]": ["x [redacted]"]})
    );
}

#[test]
fn what_looks_like_a_key_is_redacted_and_ordinary_words_are_not() {
    let secrets = Secrets::default();
    for (text, clean) in [
        ("key sk-or-v1-0123456789abcdef0123 end", "key [redacted] end"),
        ("\"sk-ant-api03-AbCdEf0123456789\"", "\"[redacted]\""),
        ("Authorization: Bearer abcdefghijklmnop012345", "Authorization: Bearer [redacted]"),
        ("{\"x-api-key\": \"abcdefghijklmnop012345\"}", "{\"x-api-key\": \"[redacted]\"}"),
        ("sk-fading-circle-container-big", "sk-fading-circle-container-big"),
        ("task-0123456789abcdef0123456789", "task-0123456789abcdef0123456789"),
        ("Bearer of good news, with 2 words", "Bearer of good news, with 2 words"),
        ("ünïcödé sk-or-v1-0123456789abcdef0123ü", "ünïcödé [redacted]ü"),
    ] {
        assert_eq!(secrets.redact(text), clean);
    }
}
