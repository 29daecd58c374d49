//! Images, views and their memory, as calls make them; and the layouts that images are in.

use ash::vk::{self, ImageLayout, ImageType, ImageViewType};
use coopmat_simulator::Channel;

use crate::block::ALIGNMENT;
use crate::driver::Driver;
use crate::facts::limits;
use crate::fault::Fault;
use crate::formats;
use crate::images::{BufferView, Image, ImageView, Parts, Wanted};

impl Driver {
    pub fn create_image(&mut self, wanted: &Wanted) -> Result<u64, Fault> {
        let image = Image::new(&self.facts, wanted)?;
        if image.size() > self.facts.memory_limit {
            return Err(Fault::plain(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY));
        }
        Ok(self.images.add(image))
    }

    pub fn destroy_image(&mut self, image: u64) -> Result<(), Fault> {
        self.images.remove_any(image)?;
        self.names.remove(&image);
        Ok(())
    }

    pub fn bind_image(&mut self, image: u64, memory: u64, offset: u64) -> Result<(), Fault> {
        let all = self.memories.get(memory)?.block.size();
        let image = self.images.get_mut(image)?;
        if image.bound.is_some() {
            return Err(Fault::misuse("the image is bound to memory already"));
        }
        if !offset.is_multiple_of(ALIGNMENT) {
            return Err(Fault::misuse(format!(
                "memoryOffset is {offset}: expected a multiple of {ALIGNMENT}, as vkGetImageMemoryRequirements says"
            )));
        }
        let size = image.size();
        if offset.checked_add(size).is_none_or(|end| end > all) {
            return Err(Fault::misuse(format!(
                "an image of {size} bytes at offset {offset} is not inside of the allocation of {all} bytes"
            )));
        }
        image.bound = Some((memory, offset));
        Ok(())
    }

    pub fn create_image_view(
        &mut self,
        image: u64,
        kind: ImageViewType,
        format: vk::Format,
        swizzle: [Channel; 4],
        range: &vk::ImageSubresourceRange,
    ) -> Result<u64, Fault> {
        let known = self.images.get(image)?;
        let parts = known.parts(range)?;
        let Some(format) = formats::find(format) else {
            return Err(Fault::missing(format!("views of the format {format:?}")));
        };
        let mutable = known.flags.contains(vk::ImageCreateFlags::MUTABLE_FORMAT);
        if format.bytes() != known.format.bytes() || (!mutable && format != known.format) {
            return Err(Fault::misuse(format!(
                "a view of the format {} of an image of the format {}: expected the same, or another of as many bits and VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT",
                format.name, known.format.name
            )));
        }
        let expected = match kind {
            ImageViewType::TYPE_1D | ImageViewType::TYPE_1D_ARRAY => ImageType::TYPE_1D,
            ImageViewType::TYPE_3D => ImageType::TYPE_3D,
            _ => ImageType::TYPE_2D,
        };
        let layers = match kind {
            ImageViewType::CUBE => parts.layers == 6,
            ImageViewType::CUBE_ARRAY => parts.layers.is_multiple_of(6),
            ImageViewType::TYPE_1D_ARRAY | ImageViewType::TYPE_2D_ARRAY => true,
            _ => parts.layers == 1,
        };
        if known.kind != expected || !layers {
            return Err(Fault::misuse(format!(
                "a view of the type {kind:?} with {} layers of an image of the type {:?}",
                parts.layers, known.kind
            )));
        }
        let view = ImageView { image, kind, format, parts, swizzle };
        Ok(self.image_views.add(view))
    }

    pub fn create_buffer_view(
        &mut self,
        buffer: u64,
        format: vk::Format,
        offset: u64,
        size: u64,
    ) -> Result<u64, Fault> {
        let known = self.buffers.get(buffer)?;
        let Some(format) = formats::find(format) else {
            return Err(Fault::missing(format!("views of buffers of the format {format:?}")));
        };
        let alignment = limits::of(&self.facts).min_texel_buffer_offset_alignment;
        if !offset.is_multiple_of(alignment) {
            return Err(Fault::misuse(format!("offset is {offset}: expected a multiple of {alignment}")));
        }
        let rest = known.size.saturating_sub(offset);
        let whole = size == vk::WHOLE_SIZE;
        if rest == 0 || !whole && (size > rest || size == 0 || !size.is_multiple_of(format.bytes())) {
            return Err(Fault::misuse(format!(
                "{size} bytes from byte {offset} of a buffer of {} bytes: expected whole texels of {} bytes inside of it",
                known.size,
                format.bytes()
            )));
        }
        let count = if whole { rest / format.bytes() } else { size / format.bytes() };
        if count > u64::from(limits::TEXEL_BUFFER_ELEMENTS) {
            return Err(Fault::misuse(format!(
                "a view of {count} texels: the device has {} at most (maxTexelBufferElements)",
                limits::TEXEL_BUFFER_ELEMENTS
            )));
        }
        Ok(self.buffer_views.add(BufferView { buffer, format, offset, size }))
    }

    /// Tells of an image that is used for what it was not made for. It is used nevertheless.
    pub fn expect_image_usage(&mut self, call: &str, image: u64, wanted: vk::ImageUsageFlags) {
        if self.images.get(image).is_ok_and(|known| !known.usage.contains(wanted)) {
            let named = self.image_name(image);
            self.tell(call, &Fault::misuse(format!("{named} was made without the usage {wanted:?}")));
        }
    }

    /// `image canvas`, or with its handle.
    pub fn image_name(&self, image: u64) -> String {
        match self.name(image) {
            Some(name) => format!("image {name}"),
            None => format!("the image {image:#x}"),
        }
    }

    /// Tells of parts of an image that are not in the layout in which a command expects them.
    pub fn expect_layout(&mut self, call: &str, image: u64, parts: Parts, expected: ImageLayout) {
        let Ok(known) = self.images.get_mut(image) else { return };
        let found = known.layouts_of(parts).map(|layout| *layout).find(|layout| *layout != expected);
        if let Some(found) = found {
            let named = self.image_name(image);
            self.tell(
                call,
                &Fault::misuse(format!(
                    "{named} is in the layout {found:?}, and the command expects {expected:?}: transition it with a barrier"
                )),
            );
        }
    }

    /// Carries out the layout transition of a barrier.
    pub fn transition(&mut self, image: u64, parts: Parts, from: ImageLayout, to: ImageLayout) {
        if from == to {
            return;
        }
        if from != ImageLayout::UNDEFINED {
            self.expect_layout("vkCmdPipelineBarrier", image, parts, from);
        }
        if let Ok(known) = self.images.get_mut(image) {
            known.layouts_of(parts).for_each(|layout| *layout = to);
        }
    }
}
