//! `softmax(scale * q * transpose(k) + mask) * v`.

use super::Values;
use crate::model::Attention;
use crate::read::{Fault, Place};
use crate::tensor::{Tensor, shown};

/// Exponentials that sum to 1.
pub(super) fn softmax(row: &mut [f64]) {
    let largest = row.iter().copied().fold(f64::NEG_INFINITY, libm::fmax);
    // A row that sees nothing stays without weights.
    if largest == f64::NEG_INFINITY {
        row.fill(0.0);
        return;
    }
    row.iter_mut().for_each(|value| *value = libm::exp(*value - largest));
    let sum: f64 = row.iter().sum();
    row.iter_mut().for_each(|value| *value /= sum);
}

impl Values<'_> {
    pub(super) fn attention(&self, attention: &Attention, place: &Place) -> Result<Tensor, Fault> {
        let q = self.get(&attention.q, &place.then("q"))?;
        let k = self.get(&attention.k, &place.then("k"))?;
        let v = self.get(&attention.v, &place.then("v"))?;
        let mask = attention.mask.as_ref().map(|name| self.get(name, &place.then("mask"))).transpose()?;
        let (queries, depth, keys, outputs) = (q.rows(), q.columns(), k.rows(), v.columns());
        let heads = q.matrices();
        let fits = |tensor: &Tensor| tensor.matrices() == 1 || tensor.matrices() == heads;
        if k.columns() != depth || v.rows() != keys || !fits(k) || !fits(v) {
            return Err(place.fail(format!(
                "q is {}, k is {}, v is {}: expected [queries, depth], [keys, depth], [keys, outputs]",
                shown(&q.shape),
                shown(&k.shape),
                shown(&v.shape)
            )));
        }
        if let Some(mask) = mask
            && (mask.rows() != queries || mask.columns() != keys || !fits(mask))
        {
            let message = format!("the mask is {}, expected {}", shown(&mask.shape), shown(&[queries, keys]));
            return Err(place.then("mask").fail(message));
        }
        let work = heads as f64 * queries as f64 * keys as f64 * (depth + outputs) as f64;
        self.bounds.take(&[heads, queries, outputs], work, place)?;
        let scale = attention.scale.unwrap_or_else(|| 1.0 / libm::sqrt(depth as f64));
        let mut data = Vec::with_capacity(heads * queries * outputs);
        for head in 0..heads {
            let (q, k, v) = (q.matrix(head), k.matrix(head), v.matrix(head));
            let mask = mask.map(|mask| mask.matrix(head));
            for query in 0..queries {
                self.bounds.go_on(place)?;
                let own = &q[query * depth..(query + 1) * depth];
                let mut scores: Vec<f64> = (0..keys)
                    .map(|key| {
                        if attention.causal && key > query {
                            return f64::NEG_INFINITY;
                        }
                        let other = &k[key * depth..(key + 1) * depth];
                        let product: f64 = own.iter().zip(other).map(|(a, b)| a * b).sum();
                        scale * product + mask.map_or(0.0, |mask| mask[query * keys + key])
                    })
                    .collect();
                softmax(&mut scores);
                for output in 0..outputs {
                    let weighted =
                        scores.iter().enumerate().map(|(key, weight)| weight * v[key * outputs + output]);
                    data.push(weighted.sum());
                }
            }
        }
        let mut shape = q.shape.clone();
        if let Some(columns) = shape.last_mut() {
            *columns = outputs;
        }
        Tensor::new(shape, data).map_err(|message| place.fail(message))
    }
}
