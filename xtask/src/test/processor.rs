//! How much of the processors' time steps took: with the time on the clock it tells whether a step computes or waits.

use std::time::Duration;

/// The time of this process, of all that it started and waited for, and of those that they waited for. None where no `/proc` tells it.
pub fn so_far() -> Option<Duration> {
    sum_in(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

/// `utime`, `stime`, `cutime` and `cstime` (proc_pid_stat(5)), in hundredths of a second on every Linux that Rust's standard library runs on.
fn sum_in(stat: &str) -> Option<Duration> {
    // The name of the program, in parentheses, may hold anything.
    let (_, fields) = stat.rsplit_once(')')?;
    let times: Vec<u64> =
        fields.split_whitespace().skip(11).take(4).map(|ticks| ticks.parse().ok()).collect::<Option<_>>()?;
    (times.len() == 4).then(|| Duration::from_millis(times.iter().sum::<u64>() * 10))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::sum_in;

    #[test]
    fn times_are_found_behind_a_name_with_parentheses() {
        let stat = "7 (x) y) R 1 7 7 0 -1 4194304 90 0 0 0 20 30 150 50 20 0 1 0 5 6 7";
        assert_eq!(sum_in(stat), Some(Duration::from_millis(2500)));
        assert_eq!(sum_in("7 (x"), None);
    }
}
