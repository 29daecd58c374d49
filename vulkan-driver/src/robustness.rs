//! Whether an access of a buffer or an image out of its bounds is allowed: by a feature of the device, or by what the pipeline says instead
//! (VK_EXT_pipeline_robustness; Vulkan, "Pipeline Robustness").

/// What a descriptor is to the shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accessed {
    /// A storage buffer, also as texels.
    Storage,
    /// A uniform buffer, also as texels.
    Uniform,
    Image,
}

/// `VkPipelineRobustnessBufferBehavior` and `VkPipelineRobustnessImageBehavior`, which have the same numbers
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Behaviour {
    /// As the device's features say.
    #[default]
    Device,
    Disabled,
    Enabled,
}

/// Of a pipeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Robustness {
    pub storage: Behaviour,
    pub uniform: Behaviour,
    pub image: Behaviour,
}

impl Behaviour {
    /// From Vulkan's number; one that is unknown is the strictest.
    pub fn new(number: i32) -> Behaviour {
        match number {
            0 => Behaviour::Device,
            // ROBUST_BUFFER_ACCESS, ROBUST_BUFFER_ACCESS_2, and those of images
            2 | 3 => Behaviour::Enabled,
            _ => Behaviour::Disabled,
        }
    }
}

impl Robustness {
    /// The feature that allows an access out of bounds; `enabled`: whether the device has a feature enabled.
    pub fn allows(&self, kind: Accessed, enabled: impl Fn(&str) -> bool) -> Option<&'static str> {
        let (behaviour, feature) = match kind {
            Accessed::Storage => (self.storage, "robustBufferAccess"),
            Accessed::Uniform => (self.uniform, "robustBufferAccess"),
            Accessed::Image => (self.image, "robustImageAccess"),
        };
        match behaviour {
            Behaviour::Device => enabled(feature).then_some(feature),
            Behaviour::Enabled => Some("pipelineRobustness"),
            Behaviour::Disabled => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipeline_overrules_the_device_for_each_kind() {
        let (all, none) = (|_: &str| true, |_: &str| false);
        let robustness =
            Robustness { storage: Behaviour::new(1), uniform: Behaviour::new(3), ..Robustness::default() };
        assert_eq!(robustness.allows(Accessed::Storage, all), None);
        assert_eq!(robustness.allows(Accessed::Uniform, none), Some("pipelineRobustness"));
        assert_eq!(robustness.allows(Accessed::Image, all), Some("robustImageAccess"));
        let device = Robustness::default();
        assert_eq!(device.allows(Accessed::Storage, all), Some("robustBufferAccess"));
        assert_eq!(device.allows(Accessed::Storage, none), None);
    }
}
