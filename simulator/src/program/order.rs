//! The structured order of blocks: reverse postorder in which a header's merge block is visited first, then its continue target,
//! then its successors. Lanes run the lowest block first, so those that leave a construct wait at its merge.

/// What the order depends on, for each block.
#[derive(Clone, Debug, Default)]
pub(super) struct Neighbours {
    pub merge: Option<usize>,
    pub continue_target: Option<usize>,
    pub successors: Vec<usize>,
}

/// The blocks that are reachable from the first one, in structured order.
pub(super) fn structured(blocks: &[Neighbours]) -> Vec<usize> {
    let mut postorder = Vec::with_capacity(blocks.len());
    let mut visited = vec![false; blocks.len()];
    // An explicit stack: a module may nest as deeply as it likes.
    let mut stack: Vec<(usize, Vec<usize>)> = Vec::new();
    let next = |block: usize| {
        let block = &blocks[block];
        // Taken from the end: the merge block is the first to be visited.
        let mut next: Vec<usize> = block.successors.iter().rev().copied().collect();
        next.extend(block.continue_target);
        next.extend(block.merge);
        next
    };
    if !blocks.is_empty() {
        visited[0] = true;
        stack.push((0, next(0)));
    }
    while let Some((block, rest)) = stack.last_mut() {
        match rest.pop() {
            Some(target) if !visited[target] => {
                visited[target] = true;
                stack.push((target, next(target)));
            }
            Some(_) => {}
            None => {
                postorder.push(*block);
                stack.pop();
            }
        }
    }
    postorder.reverse();
    postorder
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(merge: Option<usize>, continue_target: Option<usize>, successors: &[usize]) -> Neighbours {
        Neighbours { merge, continue_target, successors: successors.to_vec() }
    }

    #[test]
    fn a_merge_comes_after_both_branches() {
        let blocks = [
            block(Some(3), None, &[1, 2]),
            block(None, None, &[3]),
            block(None, None, &[3]),
            block(None, None, &[]),
        ];
        assert_eq!(structured(&blocks), [0, 2, 1, 3]);
    }

    #[test]
    fn a_loop_s_merge_comes_after_its_continue_target() {
        // 0 -> header 1 (merge 4, continue 3) -> body 2 -> 3 -> 1; break from 2 to 4.
        let blocks = [
            block(None, None, &[1]),
            block(Some(4), Some(3), &[2]),
            block(None, None, &[4, 3]),
            block(None, None, &[1]),
            block(None, None, &[]),
        ];
        assert_eq!(structured(&blocks), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn cases_that_fall_through_come_in_their_order() {
        let blocks = [
            block(Some(3), None, &[3, 2, 1]),
            block(None, None, &[2]),
            block(None, None, &[3]),
            block(None, None, &[]),
        ];
        assert_eq!(structured(&blocks), [0, 1, 2, 3]);
    }
}
