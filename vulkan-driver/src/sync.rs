//! Fences, semaphores, queries: what submissions signal and write.

use ash::vk;

use crate::driver::Driver;
use crate::fault::Fault;
use crate::objects::{Results, Semaphore};

impl Driver {
    /// Whether a semaphore has what is waited for.
    pub fn is_signaled(&self, semaphore: u64, value: u64) -> Result<bool, Fault> {
        Ok(match *self.semaphores.get(semaphore)? {
            Semaphore::Binary(signaled) => signaled,
            Semaphore::Timeline(now) => now >= value,
        })
    }

    /// A wait that has ended.
    pub fn consume(&mut self, semaphore: u64) -> Result<(), Fault> {
        if let Semaphore::Binary(signaled) = self.semaphores.get_mut(semaphore)? {
            *signaled = false;
            self.hazards.unsignal(semaphore);
        }
        Ok(())
    }

    pub fn signal(&mut self, semaphore: u64, value: u64) -> Result<(), Fault> {
        match self.semaphores.get_mut(semaphore)? {
            Semaphore::Binary(signaled) => *signaled = true,
            Semaphore::Timeline(now) => {
                if value <= *now {
                    return Err(Fault::misuse(format!(
                        "a timeline semaphore of value {now} is signalled with {value}: values only grow"
                    )));
                }
                *now = value;
            }
        }
        Ok(())
    }

    fn queries(&mut self, pool: u64, first: u32, count: u32) -> Result<&mut [Option<u64>], Fault> {
        let pool = self.query_pools.get_mut(pool)?;
        let all = pool.queries.len();
        let end = u64::from(first) + u64::from(count);
        pool.queries
            .get_mut(first as usize..end as usize)
            .ok_or_else(|| Fault::misuse(format!("{count} queries from {first} on: the pool has {all}")))
    }

    pub fn reset_queries(&mut self, pool: u64, first: u32, count: u32) -> Result<(), Fault> {
        self.queries(pool, first, count)?.fill(None);
        Ok(())
    }

    /// Writes how many instructions have run so far.
    pub fn write_timestamp(&mut self, pool: u64, query: u32) -> Result<(), Fault> {
        let now = self.instructions;
        self.queries(pool, query, 1)?.fill(Some(now));
        Ok(())
    }

    /// The results as the flags want them, each `stride` bytes after the one before, and whether all were available.
    pub fn query_results(
        &mut self,
        pool: u64,
        first: u32,
        count: u32,
        stride: u64,
        flags: vk::QueryResultFlags,
    ) -> Result<(Results, bool), Fault> {
        let wide = flags.contains(vk::QueryResultFlags::TYPE_64);
        let words = |values: &[u64]| -> Vec<u8> {
            if wide {
                values.iter().flat_map(|value| value.to_le_bytes()).collect()
            } else {
                values.iter().flat_map(|value| (*value as u32).to_le_bytes()).collect()
            }
        };
        let mut all = true;
        let mut out = Vec::new();
        for (index, query) in self.queries(pool, first, count)?.iter().enumerate() {
            let at = index as u64 * stride;
            all &= query.is_some();
            let availability = flags.contains(vk::QueryResultFlags::WITH_AVAILABILITY);
            match (query, availability) {
                (Some(value), true) => out.push((at, words(&[*value, 1]))),
                (Some(value), false) => out.push((at, words(&[*value]))),
                // The value's place stays as it is.
                (None, true) => out.push((at + if wide { 8 } else { 4 }, words(&[0]))),
                (None, false) => {}
            }
        }
        Ok((out, all))
    }
}
