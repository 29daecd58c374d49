//! JSON schemas of what the program prints, made from the types that it prints.

use coopmat_recipe::schema_text;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;

/// The schema as text, of what is written rather than read: nothing that is always printed is optional.
pub fn of<T: JsonSchema>(title: &str) -> String {
    let schema = SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>();
    schema_text(schema, title)
}
