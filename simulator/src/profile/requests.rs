//! Which accesses of lanes are one request to memory.

/// The most bytes of a lane in one request.
const WIDEST: u32 = 16;

/// What one lane accesses, in the order in which it does: addresses, and bytes there. None where another lane has something and this one has not.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lane {
    /// In its subgroup.
    pub number: u32,
    /// Address and bytes.
    pub parts: Vec<Option<(u64, u32)>>,
}

/// What the lanes of a subgroup ask memory for at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Bytes of each lane.
    pub width: u32,
    /// Lanes with their addresses.
    pub lanes: Vec<(u32, u64)>,
}

/// The requests of an instruction. Parts that follow each other in memory are one access of up to 16 bytes if every lane's are aligned to it: a
/// subgroup has one instruction for all lanes.
pub fn requests(lanes: &[Lane]) -> Vec<Request> {
    let most = lanes.iter().map(|lane| lane.parts.len()).max().unwrap_or(0);
    let mut requests = Vec::new();
    let mut first = 0;
    while first < most {
        let (mut width, mut parts) = (0, 1);
        for count in 1..=(most - first).min(WIDEST as usize) {
            match common(lanes, first, count) {
                Some(bytes) if bytes > WIDEST => break,
                Some(bytes) if bytes.is_power_of_two() && is_aligned(lanes, first, bytes) => {
                    (width, parts) = (bytes, count);
                }
                Some(_) => {}
                None => break,
            }
        }
        let starts = lanes.iter().filter_map(|lane| Some((lane, part(lane, first)?)));
        let starts: Vec<(&Lane, (u64, u32))> = starts.collect();
        // One part of its own size, whatever its alignment.
        let width =
            if width > 0 { width } else { starts.iter().map(|(_, (_, size))| *size).max().unwrap_or(0) };
        let lanes: Vec<(u32, u64)> =
            starts.iter().map(|(lane, (address, _))| (lane.number, *address)).collect();
        if !lanes.is_empty() {
            requests.push(Request { width, lanes });
        }
        first += parts;
    }
    requests
}

fn part(lane: &Lane, index: usize) -> Option<(u64, u32)> {
    lane.parts.get(index).copied().flatten()
}

/// The bytes of so many parts, if they follow each other in all lanes that have them, and lanes have all of them or none.
fn common(lanes: &[Lane], first: usize, count: usize) -> Option<u32> {
    let mut bytes = None;
    for lane in lanes {
        let Some((start, _)) = part(lane, first) else {
            if (first..first + count).any(|index| part(lane, index).is_some()) {
                return None;
            }
            continue;
        };
        let mut end = start;
        for index in first..first + count {
            let (address, size) = part(lane, index)?;
            if address != end {
                return None;
            }
            end += u64::from(size);
        }
        let own = (end - start) as u32;
        if bytes.is_some_and(|bytes| bytes != own) {
            return None;
        }
        bytes = Some(own);
    }
    bytes
}

fn is_aligned(lanes: &[Lane], first: usize, bytes: u32) -> bool {
    let starts = lanes.iter().filter_map(|lane| part(lane, first));
    starts.into_iter().all(|(address, _)| address.is_multiple_of(bytes.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each of four lanes accesses `count` parts of `size` bytes, `step` bytes apart, and begins `stride` bytes after the one before.
    fn widths(count: u64, size: u32, step: u64, stride: u64) -> Vec<u32> {
        let lane = |number: u32| {
            let start = u64::from(number) * stride;
            Lane { number, parts: (0..count).map(|part| Some((start + part * step, size))).collect() }
        };
        let lanes: Vec<Lane> = (0..4).map(lane).collect();
        requests(&lanes).iter().map(|request| request.width).collect()
    }

    #[test]
    fn what_follows_each_other_is_one_request_of_16_bytes_at_most() {
        assert_eq!(widths(8, 2, 2, 16), [16]);
        assert_eq!(widths(16, 2, 2, 32), [16, 16]);
        assert_eq!(widths(2, 2, 2, 4), [4]);
        assert_eq!(widths(2, 4, 4, 8), [8]);
        assert_eq!(widths(3, 4, 4, 16), [8, 4]);
    }

    #[test]
    fn alignment_of_every_lane_decides() {
        // Lane 1 begins at 24: a multiple of 8.
        assert_eq!(widths(8, 2, 2, 24), [8, 8]);
        assert_eq!(widths(4, 4, 4, 20), [4, 4, 4, 4]);
        // Nothing follows.
        assert_eq!(widths(2, 2, 32, 2), [2, 2]);
    }

    #[test]
    fn lanes_without_a_part() {
        let lanes = [
            Lane { number: 0, parts: vec![Some((0, 4)), Some((4, 4))] },
            Lane { number: 5, parts: vec![None, Some((8, 4))] },
        ];
        let lone = |width, lanes: &[(u32, u64)]| Request { width, lanes: lanes.to_vec() };
        assert_eq!(requests(&lanes), [lone(4, &[(0, 0)]), lone(4, &[(0, 4), (5, 8)])]);
    }
}
