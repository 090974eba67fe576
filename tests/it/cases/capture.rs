//! Whatever an agent leaves in its workspace, its fix is captured, and its neighbours keep their pace.
