pub fn diagrams() -> Result<std::collections::BTreeMap<String,String>, super::error::SiteError> { Ok(Default::default()) }
