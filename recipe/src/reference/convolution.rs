//! Convolutions over images of height x width x channels, and the matrices that make them products.

use super::Values;
use crate::model::{Conv2d, Im2col, Number, Window};
use crate::read::{Fault, Place};
use crate::tensor::{Tensor, shown};

/// An image or several, and how a filter goes over it.
struct Geometry<'t> {
    image: &'t Tensor,
    images: usize,
    height: usize,
    width: usize,
    channels: usize,
    filter: [usize; 2],
    stride: [usize; 2],
    dilation: [usize; 2],
    padding: [usize; 2],
    padding_value: f64,
    output: [usize; 2],
}

impl Geometry<'_> {
    /// What the filter's element sees from an output pixel.
    fn pixel(&self, image: usize, output: [usize; 2], tap: [usize; 2], channel: usize) -> f64 {
        let at = |direction: usize, length: usize| {
            let position =
                output[direction] * self.stride[direction] + tap[direction] * self.dilation[direction];
            position.checked_sub(self.padding[direction]).filter(|at| *at < length)
        };
        match (at(0, self.height), at(1, self.width)) {
            (Some(row), Some(column)) => {
                let index = ((image * self.height + row) * self.width + column) * self.channels + channel;
                self.image.data[index]
            }
            _ => self.padding_value,
        }
    }

    fn outputs(&self) -> impl Iterator<Item = (usize, [usize; 2])> + use<> {
        let (images, [rows, columns]) = (self.images, self.output);
        (0..images).flat_map(move |image| {
            (0..rows).flat_map(move |row| (0..columns).map(move |column| (image, [row, column])))
        })
    }

    fn taps(&self) -> impl Iterator<Item = [usize; 2]> + use<> {
        let [rows, columns] = self.filter;
        (0..rows).flat_map(move |row| (0..columns).map(move |column| [row, column]))
    }
}

impl Values<'_> {
    fn geometry(
        &self,
        input: &str,
        filter: [usize; 2],
        window: &Window,
        place: &Place,
    ) -> Result<Geometry<'_>, Fault> {
        let image = self.get(input, &place.then("input"))?;
        let (images, height, width, channels) = match image.shape[..] {
            [height, width, channels] => (1, height, width, channels),
            [images, height, width, channels] => (images, height, width, channels),
            _ => {
                return Err(place.then("input").fail(format!(
                    "`{input}` is {}: expected [height, width, channels], or the number of images before that",
                    shown(&image.shape)
                )));
            }
        };
        let place = place.then("window");
        let pair = |pair: &[Number; 2], key: &str| -> Result<[usize; 2], Fault> {
            let place = place.then(key);
            Ok([self.sizes.whole(&pair[0], &place.then(0))?, self.sizes.whole(&pair[1], &place.then(1))?])
        };
        let stride = pair(&window.stride, "stride")?;
        let dilation = pair(&window.dilation, "dilation")?;
        let padding = pair(&window.padding, "padding")?;
        let reach = |direction: usize| {
            filter[direction].saturating_sub(1).saturating_mul(dilation[direction]).saturating_add(1)
        };
        let mut output = [0; 2];
        for (direction, length) in [height, width].into_iter().enumerate() {
            let padded = length.saturating_add(padding[direction].saturating_mul(2));
            if stride[direction] == 0 || filter[direction] == 0 || reach(direction) > padded {
                return Err(place.fail(format!(
                    "a filter that covers {} does not fit in {padded} (padding included), or its stride is 0",
                    reach(direction)
                )));
            }
            output[direction] = (padded - reach(direction)) / stride[direction] + 1;
        }
        let padding_value = window.padding_value;
        Ok(Geometry {
            image,
            images,
            height,
            width,
            channels,
            filter,
            stride,
            dilation,
            padding,
            padding_value,
            output,
        })
    }

    pub(super) fn conv2d(&self, conv2d: &Conv2d, place: &Place) -> Result<Tensor, Fault> {
        let weights = self.get(&conv2d.weights, &place.then("weights"))?;
        let [outputs, rows, columns, channels] = weights.shape[..] else {
            return Err(place.then("weights").fail(format!(
                "`{}` is {}: expected [outputs, filter rows, filter columns, channels]",
                conv2d.weights,
                shown(&weights.shape)
            )));
        };
        let geometry = self.geometry(&conv2d.input, [rows, columns], &conv2d.window, place)?;
        if geometry.channels != channels {
            return Err(place.fail(format!(
                "the image has {} channels, the weights are for {channels}",
                geometry.channels
            )));
        }
        let bias = conv2d.bias.as_ref().map(|name| self.get(name, &place.then("bias"))).transpose()?;
        if let Some(bias) = bias
            && bias.data.len() != outputs
        {
            return Err(place
                .then("bias")
                .fail(format!("expected {outputs} numbers, found {}", bias.data.len())));
        }
        let [height, width] = geometry.output;
        let work = geometry.images as f64 * height as f64 * width as f64 * weights.data.len() as f64;
        self.bounds.take(&[geometry.images, height, width, outputs], work, place)?;
        let mut data = Vec::with_capacity(geometry.images * height * width * outputs);
        for (image, at) in geometry.outputs() {
            self.bounds.go_on(place)?;
            for output in 0..outputs {
                let mut sum = bias.map_or(0.0, |bias| bias.data[output]);
                for tap in geometry.taps() {
                    for channel in 0..channels {
                        let weight = ((output * rows + tap[0]) * columns + tap[1]) * channels + channel;
                        sum += geometry.pixel(image, at, tap, channel) * weights.data[weight];
                    }
                }
                data.push(sum);
            }
        }
        let shape = match geometry.image.shape.len() {
            3 => vec![height, width, outputs],
            _ => vec![geometry.images, height, width, outputs],
        };
        Tensor::new(shape, data).map_err(|message| place.fail(message))
    }

    pub(super) fn im2col(&self, im2col: &Im2col, place: &Place) -> Result<Tensor, Fault> {
        let filter = self.sizes.wholes(&im2col.filter, &place.then("filter"))?;
        let filter = [filter[0], filter[1]];
        let geometry = self.geometry(&im2col.input, filter, &im2col.window, place)?;
        let [height, width] = geometry.output;
        self.bounds.take(
            &[geometry.images, height, width, filter[0], filter[1], geometry.channels],
            0.0,
            place,
        )?;
        let rows = geometry.images * height * width;
        let columns = filter[0] * filter[1] * geometry.channels;
        let mut data = Vec::with_capacity(rows * columns);
        for (image, at) in geometry.outputs() {
            for tap in geometry.taps() {
                data.extend((0..geometry.channels).map(|channel| geometry.pixel(image, at, tap, channel)));
            }
        }
        Tensor::new(vec![rows, columns], data).map_err(|message| place.fail(message))
    }
}
