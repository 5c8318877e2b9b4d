-- The instant under which a burst stood before a revert of the chain moved it: that row was withdrawn, this one takes its place.
ALTER TABLE bursts ADD COLUMN IF NOT EXISTS supersedes_at_ms Nullable(Int64) AFTER px
