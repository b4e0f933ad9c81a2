"""Images that share or exchange texels: views, copies, invalidation."""
