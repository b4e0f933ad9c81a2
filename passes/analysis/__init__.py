"""Facts about programs that passes and backends share."""
