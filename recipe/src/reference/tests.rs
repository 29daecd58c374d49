//! References against each other, and against numbers by hand.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use super::{Bounds, Values};
use crate::Files;
use crate::component::Component;
use crate::memory::Memory;
use crate::model::Compute;
use crate::random::Random;
use crate::read::Place;
use crate::sizes::Sizes;
use crate::tensor::Tensor;

struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _path: &str) -> Result<Vec<u8>, String> {
        Err("there are no files".to_owned())
    }
}

fn tensor(shape: &[usize], data: &[f64]) -> Tensor {
    Tensor::new(shape.to_vec(), data.to_vec()).unwrap()
}

fn random(shape: &[usize], seed: u64) -> Tensor {
    let mut random = Random::new(seed);
    let data = (0..shape.iter().product()).map(|_| random.uniform(-1.0, 1.0)).collect();
    Tensor::new(shape.to_vec(), data).unwrap()
}

/// Computes what the right side of `equals = ...` says, from these values.
fn compute(named: &[(&str, Tensor)], text: &str, component: Option<Component>) -> Result<Tensor, String> {
    #[derive(serde::Deserialize)]
    struct Holder {
        equals: Compute,
    }
    let holder: Holder = toml::from_str(&format!("equals.{text}")).unwrap();
    let named: BTreeMap<_, _> =
        named.iter().map(|(name, tensor)| ((*name).to_owned(), (tensor.clone(), component))).collect();
    let sizes = Sizes::default();
    let values = Values { named, sizes: &sizes, files: &NoFiles, bounds: Bounds::default() };
    values.compute(&holder.equals, None, component, &Place::default()).map_err(|fault| fault.message)
}

fn near(a: &Tensor, b: &Tensor) {
    assert_eq!(a.data.len(), b.data.len());
    for (index, (a, b)) in a.data.iter().zip(&b.data).enumerate() {
        assert!((a - b).abs() < 1e-12, "element {index}: {a} and {b}");
    }
}

#[test]
fn products_by_hand() {
    let a = tensor(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let b = tensor(&[3, 2], &[7.0, 8.0, 9.0, 10.0, 11.0, 12.0]);
    let c = tensor(&[2, 2], &[1.0, 1.0, 1.0, 1.0]);
    let named = [("a", a.clone()), ("b", b), ("c", c)];
    let product =
        compute(&named, "matmul = { a = \"a\", b = \"b\", c = \"c\", alpha = 2.0, beta = -1.0 }", None);
    assert_eq!(product.unwrap().data, [115.0, 127.0, 277.0, 307.0]);
    let named = [("a", a.clone()), ("b", a)];
    let product = compute(&named, "matmul = { a = \"a\", b = \"b\", transpose-b = true }", None).unwrap();
    assert_eq!((product.shape, product.data), (vec![2, 2], vec![14.0, 32.0, 32.0, 77.0]));
    let error = compute(&named, "matmul = { a = \"a\", b = \"b\" }", None).unwrap_err();
    assert!(error.contains("the columns of the first (3) must equal the rows of the second (2)"), "{error}");
}

#[test]
fn integers_wrap_or_saturate_at_the_end() {
    let named = [("a", tensor(&[1, 2], &[100.0, 100.0])), ("b", tensor(&[2, 1], &[2.0, -1.0]))];
    let product = |rest: &str| {
        compute(&named, &format!("matmul = {{ a = \"a\", b = \"b\"{rest} }}"), Some(Component::S8))
            .unwrap()
            .data
    };
    assert_eq!(product(""), [100.0], "200 in between is no matter");
    let named = [("a", tensor(&[1, 1], &[100.0])), ("b", tensor(&[1, 1], &[2.0]))];
    let product = |rest: &str| {
        compute(&named, &format!("matmul = {{ a = \"a\", b = \"b\"{rest} }}"), Some(Component::S8))
            .unwrap()
            .data
    };
    assert_eq!(product(""), [-56.0]);
    assert_eq!(product(", saturate = true"), [127.0]);
}

#[test]
fn batches_share_what_is_there_once() {
    let named = [("a", random(&[3, 4, 5], 1)), ("b", random(&[5, 6], 2))];
    let product = compute(&named, "matmul = { a = \"a\", b = \"b\" }", None).unwrap();
    assert_eq!(product.shape, [3, 4, 6]);
    let last = Tensor::new(vec![4, 5], named[0].1.matrix(2).to_vec()).unwrap();
    let alone = compute(&[("a", last), named[1].clone()], "matmul = { a = \"a\", b = \"b\" }", None).unwrap();
    assert_eq!(product.matrix(2), alone.data);
}

/// A convolution is the product of the image's matrix and the weights, in every way that a filter can go.
#[test]
fn convolutions_are_products() {
    let named = [("image", random(&[2, 7, 6, 3], 1)), ("weights", random(&[4, 3, 2, 3], 2))];
    for window in
        ["", ", window = { stride = [2, 1], dilation = [1, 2], padding = [1, 2], padding-value = 0.5 }"]
    {
        let text = format!("conv2d = {{ input = \"image\", weights = \"weights\"{window} }}");
        let direct = compute(&named, &text, None).unwrap();
        let text = format!("im2col = {{ input = \"image\", filter = [3, 2]{window} }}");
        let matrix = compute(&named, &text, None).unwrap();
        let weights = named[1].1.clone().reshaped(&[4, 18]).unwrap();
        let named = [("m", matrix), ("w", weights)];
        let product = compute(&named, "matmul = { a = \"m\", b = \"w\", transpose-b = true }", None).unwrap();
        near(&direct, &product);
    }
}

#[test]
fn attention_is_two_products_and_a_softmax() {
    let named = [("q", random(&[4, 8], 1)), ("k", random(&[5, 8], 2)), ("v", random(&[5, 3], 3))];
    let attention =
        compute(&named, "attention = { q = \"q\", k = \"k\", v = \"v\", scale = 0.5 }", None).unwrap();
    let scores = compute(&named, "matmul = { a = \"q\", b = \"k\", transpose-b = true }", None).unwrap();
    let weights = compute(&[("s", scores)], "softmax = { input = \"s\", scale = 0.5 }", None).unwrap();
    let ones: f64 = weights.data[..5].iter().sum();
    assert!((ones - 1.0).abs() < 1e-12);
    let product =
        compute(&[("w", weights), named[2].clone()], "matmul = { a = \"w\", b = \"v\" }", None).unwrap();
    near(&attention, &product);
    // The first query of a causal attention sees the first key alone.
    let text = "attention = { q = \"q\", k = \"k\", v = \"v\", causal = true }";
    let causal = compute(&named, text, None).unwrap();
    assert_eq!(causal.data[..3], named[2].1.data[..3]);
}

#[test]
fn reductions_and_places() {
    let named = [("x", tensor(&[2, 4], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]))];
    let value = |text: &str| compute(&named, text, None).unwrap();
    let reduce = |by: &str, over: &str| {
        value(&format!("reduce = {{ input = \"x\", by = \"{by}\", over = \"{over}\" }}"))
    };
    assert_eq!(reduce("sum", "row").data, [10.0, 26.0]);
    assert_eq!(reduce("maximum", "column").data, [5.0, 6.0, 7.0, 8.0]);
    assert_eq!(reduce("mean", "all").data, [4.5]);
    assert_eq!(reduce("product", "2x2").data, [60.0, 672.0]);
    assert_eq!(value("transpose = \"x\"").data, [1.0, 5.0, 2.0, 6.0, 3.0, 7.0, 4.0, 8.0]);
    let nothing = [("x", tensor(&[0, 3], &[]))];
    assert_eq!(compute(&nothing, "transpose = \"x\"", None).unwrap().shape, [3, 0]);
    let gather = "gather = { input = \"x\", shape = [1, 3], at = [\"1\", \"column * 2\"], outside = -1.0 }";
    assert_eq!(value(gather).data, [5.0, 7.0, -1.0]);
    let error =
        compute(&named, "gather = { input = \"x\", shape = [1], at = [\"2\", \"0\"] }", None).unwrap_err();
    assert!(error.contains("comes from [2, 0], which is outside 2x4"), "{error}");
    assert_eq!(value("formula = \"x * 10 + row\"").data[4], 51.0);
}

#[test]
fn bytes_read_as_another_type() {
    let named = [("x", tensor(&[1, 2], &[1.0, -2.0]))];
    let bits =
        compute(&named, "reinterpret = { input = \"x\", from = \"f32\", to = \"u32\" }", None).unwrap();
    assert_eq!(bits.data, [f64::from(0x3f80_0000u32), f64::from(0xc000_0000u32)]);
    let halves =
        compute(&named, "reinterpret = { input = \"x\", from = \"f32\", to = \"u16\" }", None).unwrap();
    assert_eq!((halves.shape, halves.data[1]), (vec![1, 4], f64::from(0x3f80u16)));
}

/// Small operands may have a product that fills all memory.
#[test]
fn results_are_bounded_before_they_are_computed() {
    let zeros = |shape: &[usize]| Tensor::new(shape.to_vec(), vec![0.0; shape.iter().product()]).unwrap();
    let (column, row) = (zeros(&[1 << 16, 1]), zeros(&[1, 1 << 16]));
    let wide = [("a", column.clone()), ("b", row.clone())];
    let error = compute(&wide, "matmul = { a = \"a\", b = \"b\" }", None).unwrap_err();
    assert!(error.contains("more than 268435456 elements"), "{error}");
    let heads = [("q", column), ("k", zeros(&[1, 1])), ("v", row)];
    let error = compute(&heads, "attention = { q = \"q\", k = \"k\", v = \"v\" }", None).unwrap_err();
    assert!(error.contains("more than 268435456 elements"), "{error}");
    let image = [("x", zeros(&[1, 1, 1]))];
    let window = "window = { padding = [3000000000000, 3000000000000] }";
    let error = compute(&image, &format!("im2col = {{ input = \"x\", filter = [1, 1], {window} }}"), None);
    let error = error.unwrap_err();
    assert!(error.contains("more than 268435456 elements"), "{error}");
}

#[test]
fn references_together_are_bounded_and_stop() {
    let place = Place::default();
    let mut bounds = Bounds { memory: Some(Memory { left: 100, more: "" }), ..Bounds::default() };
    assert!(bounds.take(&[3, 4], 0.0, &place).is_ok());
    assert!(bounds.take(&[13], 0.0, &place).unwrap_err().message.contains("100 are available"));
    let kept = Tensor::new(vec![10], vec![0.0; 10]).unwrap();
    assert!(bounds.keep(&kept, &place).is_ok());
    assert!(bounds.keep(&kept, &place).unwrap_err().message.contains("20 are available"));
    let all = [2e10; 6].map(|work| bounds.take(&[1], work, &place).map_err(|fault| fault.message));
    assert_eq!(all.iter().filter(|one| one.is_ok()).count(), 4);
    assert!(all[5].as_ref().unwrap_err().contains("too large together"));
    let stop = AtomicBool::new(true);
    let bounds = Bounds { stop: Some(&stop), ..Bounds::default() };
    assert_eq!(bounds.take(&[1], 0.0, &place).unwrap_err().message, "the run was stopped");
}
