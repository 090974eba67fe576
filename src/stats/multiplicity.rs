//! Many p-values at once.

/// Holm's step-down adjusted p-values (family-wise error), in the order given.
#[must_use]
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut adjusted = vec![1.0; p.len()];
    let mut running = 0.0_f64;
    for (rank, index) in ascending(p).into_iter().enumerate() {
        running = running.max((p.len() - rank) as f64 * p[index]).min(1.0);
        adjusted[index] = running;
    }
    adjusted
}

/// Benjamini-Hochberg adjusted p-values (false discovery rate), in the order given; for exploratory tables only.
#[must_use]
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    let mut adjusted = vec![1.0; p.len()];
    let mut running = 1.0_f64;
    for (rank, index) in ascending(p).into_iter().enumerate().rev() {
        running = running.min(p.len() as f64 / (rank + 1) as f64 * p[index]);
        adjusted[index] = running;
    }
    adjusted
}

fn ascending(p: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    order
}
