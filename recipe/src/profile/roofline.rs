//! Which limit a dispatch meets first, the rate of the matrix units or the bandwidth of memory; and the work between barriers.
//!
//! Rates and bandwidth are those that the device's maker publishes. A dispatch cannot be faster than either allows; it may be slower for other reasons.

use coopmat_simulator::matrix::Component;
use coopmat_simulator::profile::{Measured, Product};
use schemars::JsonSchema;
use serde::Serialize;

use super::Traffic;
use crate::report::Work;

/// How fast a device multiplies matrices of some types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// The component types of A, B and the result.
    pub components: [Component; 3],
    /// Operations in a second, in 10^9: two for each multiplication and addition.
    pub gigaops: u64,
}

/// What a dispatch does, against what the device can do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub struct Roofline {
    /// Operations of multiply-adds, by the types of the matrices, those with the most first.
    pub products: Vec<Products>,
    /// The bandwidth of the device's memory in 10^9 bytes a second; none if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub bandwidth: Option<u64>,
    /// Operations for each byte at which both limits are met at once, for this mix of types.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub ridge: Option<f64>,
    /// Which limit is met first.
    pub limit: Limit,
    /// What is not known, in words; none if the limit is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub not_known: Option<String>,
    /// The average work of a workgroup between two barriers, or one and its begin or end; none without barriers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub between_barriers: Option<Between>,
}

/// Operations in multiply-adds of the same types.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ProfiledProducts"))]
#[serde(rename_all = "kebab-case")]
pub struct Products {
    /// The component type of A.
    pub a: String,
    /// The component type of B.
    pub b: String,
    /// The component type of the result.
    pub result: String,
    /// Two for each multiplication and addition.
    pub operations: u64,
    /// What the device does in a second, in 10^9; none if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub gigaops: Option<u64>,
}

/// The limit that is met first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "RooflineLimit"))]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// Memory, even if each byte is moved once.
    Memory,
    /// The matrix units, even if every access goes to memory.
    Matrices,
    /// Memory if every access goes there, the matrix units if each byte is moved once.
    Caches,
    /// Something about the device is not known, or there are no multiply-adds.
    #[default]
    NotKnown,
}

/// Work of a workgroup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "BetweenBarriers"))]
#[serde(rename_all = "kebab-case")]
pub struct Between {
    /// Instructions of all its subgroups.
    pub instructions: f64,
    /// Operations in multiply-adds.
    pub operations: f64,
    /// Bytes of buffers.
    pub bytes: f64,
}

impl Roofline {
    pub(super) fn new(
        measured: &Measured,
        products: &[Product],
        work: &Work,
        traffic: Traffic,
        (rates, bandwidth): (&[Rate], Option<u64>),
    ) -> Roofline {
        let products = by_type(measured, products, rates);
        let all = traffic.read + traffic.written;
        let distinct = traffic.distinct_read + traffic.distinct_written;
        let operations: u64 = products.iter().map(|it| it.operations).sum();
        // Of 10^9 operations a second, nanoseconds.
        let times = products.iter().map(|it| Some(it.operations as f64 / it.gigaops? as f64));
        let time: Option<f64> = times.sum();
        let missing = || {
            let types = products.iter().filter(|it| it.gigaops.is_none());
            let types: Vec<String> = types.map(Products::types).collect();
            format!("the device's rate is not known for {}", types.join(" and "))
        };
        let known = match (operations, time, bandwidth) {
            (0, ..) => Err("there are no multiply-adds of matrices".to_owned()),
            (_, None, None) => Err(format!("{}, and neither is its bandwidth", missing())),
            (_, None, _) => Err(missing()),
            (.., None) => Err("the device's bandwidth is not known".to_owned()),
            (_, Some(time), Some(bandwidth)) => Ok((operations as f64 / time / bandwidth as f64, bandwidth)),
        };
        // A buffer that is not accessed is no limit.
        let is_below = |bytes: u64, ridge: f64| bytes > 0 && (operations as f64 / bytes as f64) < ridge;
        let limit = match known {
            Err(_) => Limit::NotKnown,
            Ok((ridge, _)) if is_below(distinct, ridge) => Limit::Memory,
            Ok((ridge, _)) if !is_below(all, ridge) => Limit::Matrices,
            Ok(_) => Limit::Caches,
        };
        let stretches = (measured.barriers + work.workgroups) as f64;
        let between = |value: u64| value as f64 / stretches;
        Roofline {
            products,
            bandwidth,
            ridge: known.as_ref().ok().map(|(ridge, _)| *ridge),
            limit,
            not_known: known.err(),
            between_barriers: (measured.barriers > 0).then(|| Between {
                instructions: between(work.instructions),
                operations: between(operations),
                bytes: between(all),
            }),
        }
    }
}

impl Products {
    /// The types in words.
    pub fn types(&self) -> String {
        format!("{} x {} to {}", self.a, self.b, self.result)
    }
}

fn by_type(measured: &Measured, products: &[Product], rates: &[Rate]) -> Vec<Products> {
    let mut sums: Vec<([Component; 3], u64)> = Vec::new();
    for (instruction, operations) in &measured.operations {
        let Some(product) = products.iter().find(|product| product.instruction == *instruction) else {
            continue;
        };
        let components = [product.a, product.b, product.result].map(|matrix| matrix.component);
        match sums.iter_mut().find(|(known, _)| *known == components) {
            Some((_, sum)) => *sum += operations,
            None => sums.push((components, *operations)),
        }
    }
    sums.sort_by_key(|(_, operations)| std::cmp::Reverse(*operations));
    let named = sums.into_iter().map(|(components, operations)| {
        let [a, b, result] = components.map(|component| component.name().to_owned());
        let rate = rates.iter().find(|rate| rate.components == components);
        Products { a, b, result, operations, gigaops: rate.map(|rate| rate.gigaops) }
    });
    named.collect()
}
