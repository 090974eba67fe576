fn main() {
    for i in 0..8 {
        let t = std::time::Instant::now();
        let root = std::path::Path::new("/dev/shm/syn100k");
        let d = if std::env::args().count() > 1 { tsbench::results::read_with(root, &|_,_,_,_| Ok(())) } else { tsbench::results::read(root) }.unwrap();
        let n: usize = d.runs.iter().map(|r| r.rows.len()).sum();
        println!("{i} {:?} rows {n} faults {}", t.elapsed(), d.faults.len());
    }
}
