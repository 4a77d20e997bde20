-- Streams JSON events from a folder into an Iceberg table, exactly once, then queries the table.
-- Run by `make demo`, or: frazil run examples/quickstart.sql   (after examples/generate_events.py build/demo/events)

SET 'pipeline.name' = 'quickstart';
SET 'execution.checkpointing.interval' = '1 s';
SET 'execution.checkpointing.dir' = 'build/demo/checkpoints';
SET 'parallelism.default' = '2';

-- The catalog is one SQLite file, the warehouse a folder. Java and PyIceberg open the same file.
CREATE CATALOG lake WITH (
  'type' = 'iceberg',
  'catalog-type' = 'jdbc',
  'uri' = 'jdbc:sqlite:build/demo/catalog.db',
  'warehouse' = 'build/demo/warehouse'
);
CREATE DATABASE IF NOT EXISTS lake.shop;

CREATE TABLE IF NOT EXISTS lake.shop.events (
  event_id   STRING NOT NULL COMMENT 'unique',
  event_type STRING,
  event_time TIMESTAMP(6),
  user_id    BIGINT,
  region     STRING,
  amount     DECIMAL(12, 2) COMMENT 'orders only',
  url        STRING COMMENT 'clicks only',
  device     ROW<`system` STRING, version INT>,
  items      ARRAY<ROW<sku STRING, quantity INT>>
) COMMENT 'events of a small web shop'
PARTITIONED BY (region)
WITH ('write.parquet.compression-codec' = 'zstd');

CREATE TEMPORARY TABLE incoming (
  event_id   STRING NOT NULL,
  event_type STRING,
  event_time TIMESTAMP(3),
  user_id    BIGINT,
  region     STRING,
  amount     DECIMAL(12, 2),
  url        STRING,
  device     ROW<`system` STRING, version INT>,
  items      ARRAY<ROW<sku STRING, quantity INT>>
) WITH (
  'connector' = 'filesystem',
  'path' = 'build/demo/events',
  'format' = 'json'
);

INSERT INTO lake.shop.events
SELECT event_id, event_type, event_time, user_id, COALESCE(region, 'unknown'), amount, url, device, items
FROM incoming;

SELECT region,
       COUNT(*)                                              AS events,
       SUM(amount)                                           AS revenue,
       COUNT(DISTINCT user_id)                               AS users,
       MAX(event_time)                                       AS latest
FROM lake.shop.events
GROUP BY region
ORDER BY revenue DESC;

SELECT committed_at, snapshot_id, operation, summary['added-records'] AS added, summary['total-records'] AS total
FROM lake.shop.`events$snapshots`;

SELECT `partition`, record_count, file_size_in_bytes, file_path FROM lake.shop.`events$files` LIMIT 10;
