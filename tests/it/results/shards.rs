use super::folder::{Folder, attempt, jsonl, plan};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Mutex;
use tsbench::results::{Dataset, MAX_LINE, SHARD_BYTES, read_with};

/// A run of many attempts in many shards, and its bytes.
fn large(lines: u32, pad: usize) -> (Folder, String) {
    let mut plan = plan("r");
    plan["repeats"] = lines.into();
    plan["planned_attempts"] = (u64::from(lines) * 6).into();
    let folder = Folder::new();
    let text: String = (0..lines)
        .map(|i| {
            let mut line = attempt(i, if i % 3 == 0 { "resolved" } else { "unresolved" });
            line["pad"] = "é".repeat(pad + (i as usize * 7) % 50).into();
            format!("{line}\n")
        })
        .collect();
    folder.put("r/run.json", plan.to_string()).put("r/attempts.jsonl", &text);
    (folder, text)
}

fn pieces(folder: &Folder) -> (Dataset, BTreeMap<usize, (Vec<u8>, String)>) {
    let seen = Mutex::new(BTreeMap::new());
    let data = read_with(folder.path(), &|run, number, bytes, digest| {
        assert_eq!(run.run, "r");
        assert!(
            seen.lock().unwrap().insert(number, (bytes.to_vec(), digest.to_owned())).is_none(),
            "piece {number} came twice"
        );
        Ok(())
    })
    .unwrap();
    (data, seen.into_inner().unwrap())
}

fn digest(bytes: &[u8]) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

#[test]
fn shards_put_together_are_the_file_and_end_at_line_ends() {
    let (folder, text) = large(4000, 400);
    let (data, pieces) = pieces(&folder);
    let run = &data.runs[0];
    assert!(run.shards.len() > 2, "{}", run.shards.len());
    assert_eq!(pieces.values().flat_map(|p| p.0.clone()).collect::<Vec<u8>>(), text.as_bytes());
    for (shard, (bytes, sum)) in run.shards.iter().zip(pieces.values()) {
        assert!(shard.len <= SHARD_BYTES && bytes.ends_with(b"\n"));
        assert_eq!(
            (shard.len, shard.lines),
            (bytes.len() as u64, bytes.iter().filter(|b| **b == b'\n').count() as u64)
        );
        assert_eq!((sum, &shard.sha256), (&digest(bytes), &digest(bytes)));
    }
}

#[test]
fn line_numbers_hold_across_shards() {
    let (folder, text) = large(4000, 400);
    let data = folder.read();
    let run = &data.runs[0];
    let lines: Vec<&str> = text.lines().collect();
    for row in &run.rows {
        let line: Value = serde_json::from_str(lines[row.line as usize - 1]).unwrap();
        assert_eq!(line["repeat"], row.repeat);
        let (shard, within) = run.locate(row.line).unwrap();
        let span = &run.shards[shard];
        let piece = &text[span.start as usize..(span.start + span.len) as usize];
        assert_eq!(piece.lines().nth(within as usize - 1).unwrap(), lines[row.line as usize - 1]);
    }
    assert_eq!(run.locate(0), None);
    assert_eq!(run.locate(4001), None);
}

#[test]
fn faults_and_errors_of_later_shards_have_the_lines_of_the_file() {
    let (folder, text) = large(4000, 400);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines[3500] = lines[3500].replace("solved\"", "settled\"");
    let mut error: Value = serde_json::from_str(&lines[3600]).unwrap();
    error["outcome"] = "infra_error".into();
    error["error"] = serde_json::json!({"class": "provider", "message": "é".repeat(1000)});
    lines[3600] = error.to_string();
    folder.put("r/attempts.jsonl", lines.join("\n") + "\n");
    assert_eq!(folder.error(3501, "outcome").split(' ').next(), Some("unknown"));
    let data = folder.read();
    let text = data.runs[0].error_text(3601).unwrap();
    assert_eq!((text.class.as_str(), text.message.chars().count()), ("provider", 400));
    assert!(data.runs[0].error_text(3602).is_none());
}

#[test]
fn a_line_longer_than_a_shard_is_a_shard_of_its_own() {
    let mut long = attempt(1, "resolved");
    long["pad"] = "x".repeat(SHARD_BYTES as usize + 10).into();
    let text = jsonl(&[attempt(0, "resolved"), long, attempt(2, "resolved")]);
    let folder = Folder::with(&text);
    let (data, pieces) = pieces(&folder);
    assert_eq!(data.faults, []);
    assert_eq!(data.runs[0].shards.iter().map(|s| s.lines).collect::<Vec<_>>(), [1, 1, 1]);
    assert!(data.runs[0].shards[1].len > SHARD_BYTES && data.runs[0].shards[1].len < MAX_LINE);
    assert_eq!(pieces.values().flat_map(|p| p.0.clone()).collect::<Vec<u8>>(), text.as_bytes());
    assert_eq!(data.runs[0].rows.iter().map(|r| r.line).collect::<Vec<_>>(), [1, 2, 3]);
}

#[test]
fn a_line_end_exactly_at_the_cut_is_the_cut() {
    let line = attempt(0, "resolved").to_string();
    let pad = SHARD_BYTES as usize - 1 - line.len() - ",\"pad\":\"\"".len();
    let mut first = attempt(0, "resolved");
    first["pad"] = "x".repeat(pad).into();
    for more in [0, 1] {
        first["pad"] = "x".repeat(pad + more).into();
        let data = Folder::with(jsonl(&[first.clone(), attempt(1, "resolved")])).read();
        assert_eq!(data.faults, []);
        assert_eq!(data.runs[0].shards.iter().map(|s| (s.len, s.lines)).next(), Some((SHARD_BYTES + more as u64, 1)));
    }
}

#[test]
fn one_thread_and_two_read_the_same() {
    let (folder, _) = large(4000, 400);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        format!("{:?}", pool.install(|| pieces(&folder)))
    };
    assert!(with(1) == with(2));
}

#[test]
fn reading_without_digests_gives_the_same_rows() {
    let (folder, _) = large(50, 10);
    let (with, _) = pieces(&folder);
    let without = folder.read();
    assert_eq!(format!("{:?}", with.runs[0].rows), format!("{:?}", without.runs[0].rows));
    assert_eq!(without.runs[0].shards[0].sha256, "");
    assert_eq!(with.runs[0].plan_sha256, digest(&with.runs[0].plan_bytes));
}

#[test]
fn a_failed_write_of_a_piece_is_an_error() {
    let (folder, _) = large(5, 10);
    let end = read_with(folder.path(), &|_, _, _, _| Err(std::io::Error::other("the disk is full")));
    assert!(end.unwrap_err().to_string().contains("the disk is full"));
}
