/**
 * The metrics of the service. This list is a contract with the operators: a test compares it with the dashboard, the
 * alerts and the scrape of a running service. Each metric also has the label `program`. Units are base units, and the
 * end of a name gives the unit.
 */

type Definition = Readonly<{
  type: 'gauge' | 'counter' | 'histogram'
  /** The labels besides `program`. The values of each label come from a bounded list, never from a client. */
  labels: readonly string[]
  /** The part of the service that exports the metric. `thread`: every thread of every program. */
  from: 'process' | 'thread' | 'ingest' | 'stages' | 'projections' | 'api'
  help: string
  /** The upper bounds of the buckets of a histogram. */
  bounds?: readonly number[]
}>

export const metricList = {
  launch_data_build_info: {
    ...{ type: 'gauge', labels: ['version', 'node'], from: 'process' },
    help: 'Always 1. The labels are the versions of the service and of Node.',
  },
  launch_data_start_timestamp_seconds: {
    ...{ type: 'gauge', labels: [], from: 'process' },
    help: 'Time at which the process started, in seconds since 1970.',
  },
  launch_data_cpu_seconds_total: {
    ...{ type: 'counter', labels: [], from: 'process' },
    help: 'CPU time that all threads of the process used.',
  },
  launch_data_resident_memory_bytes: {
    ...{ type: 'gauge', labels: [], from: 'process' },
    help: 'Resident memory of the process.',
  },
  launch_data_data_dir_free_bytes: {
    ...{ type: 'gauge', labels: [], from: 'process' },
    help: 'Free space of the disk that contains DATA_DIR.',
  },
  launch_data_log_bytes: {
    ...{ type: 'gauge', labels: ['environment'], from: 'process' },
    help: 'Disk space of the embedded log: of each topic with folders for days, of the folder `main` for all other topics, and of the folder `schemas`. A log on Kafka has no sample.',
  },
  launch_data_archive_failures: {
    ...{ type: 'gauge', labels: [], from: 'process' },
    help: 'Finished days that the last try could not export to ARCHIVE_DIR. 1 if the folder cannot be used. With separate processes, only `ingest` has a sample.',
  },
  launch_data_ready: {
    ...{ type: 'gauge', labels: [], from: 'process' },
    help: '1 if /readyz answers 200, otherwise 0.',
  },
  launch_data_program_up: {
    ...{ type: 'gauge', labels: ['thread'], from: 'process' },
    help: '1 if the thread answered this scrape in time. With 0, the other metrics of the thread are missing.',
  },

  launch_data_heap_used_bytes: {
    ...{ type: 'gauge', labels: ['thread'], from: 'thread' },
    help: 'JavaScript memory that the thread uses.',
  },
  launch_data_heap_limit_bytes: {
    ...{ type: 'gauge', labels: ['thread'], from: 'thread' },
    help: 'JavaScript memory at which the thread fails.',
  },
  launch_data_event_loop_busy_seconds_total: {
    ...{ type: 'counter', labels: ['thread'], from: 'thread' },
    help: 'Time in which the event loop of the thread worked. A rate near 1 means that the thread is always busy.',
  },
  launch_data_gc_duration_seconds: {
    ...{ type: 'histogram', labels: ['thread', 'kind'], from: 'thread', bounds: [0.001, 0.005, 0.02, 0.1, 0.5, 2] },
    help: 'Durations of garbage collections, by kind: minor, major, incremental or weak.',
  },
  launch_data_logged_lines_total: {
    ...{ type: 'counter', labels: ['thread', 'level'], from: 'thread' },
    help: 'Lines that the thread logged, by level: warn, error or fatal.',
  },

  launch_data_ingest_facts_total: {
    ...{ type: 'counter', labels: ['stage'], from: 'ingest' },
    help: 'Facts that ingest appended to the log.',
  },
  launch_data_ingest_last_success_timestamp_seconds: {
    ...{ type: 'gauge', labels: ['stage'], from: 'ingest' },
    help: 'Time at which ingest last appended a new range of blocks, in seconds since 1970.',
  },
  launch_data_ingest_block_age_seconds: {
    ...{ type: 'gauge', labels: ['stage'], from: 'ingest' },
    help: 'Time since the time of the newest block in the log. For chats, since the newest read.',
  },
  launch_data_ingest_tick_age_seconds: {
    ...{ type: 'gauge', labels: ['stage'], from: 'ingest' },
    help: 'Time since ingest appended the newest tick. Without new blocks, ingest appends a tick every second.',
  },

  launch_data_stage_lag_seconds: {
    ...{ type: 'gauge', labels: ['stage', 'partition'], from: 'stages' },
    help: 'Time since the known time of the last tick that the stage processed in this partition.',
  },
  launch_data_stage_last_success_timestamp_seconds: {
    ...{ type: 'gauge', labels: ['stage', 'partition'], from: 'stages' },
    help: 'Time at which the stage last committed a new tick of this partition, in seconds since 1970.',
  },
  launch_data_stage_records_total: {
    ...{ type: 'counter', labels: ['stage', 'partition'], from: 'stages' },
    help: 'Records that the stage read from this partition, ticks included.',
  },
  launch_data_stage_tokens: {
    ...{ type: 'gauge', labels: ['stage', 'partition'], from: 'stages' },
    help: 'Tokens whose state is in memory.',
  },
  launch_data_stage_folding: {
    ...{ type: 'gauge', labels: ['stage', 'partition'], from: 'stages' },
    help: '1 while the stage computes its state again from processed facts after a start, otherwise 0.',
  },

  launch_data_projection_lag_seconds: {
    ...{ type: 'gauge', labels: ['stage', 'partition'], from: 'projections' },
    help: 'Time since the known time of the last tick of this partition whose rows are in the tables.',
  },
  launch_data_projection_last_success_timestamp_seconds: {
    ...{ type: 'gauge', labels: ['stage'], from: 'projections' },
    help: 'Time at which a batch was last written to the tables, in seconds since 1970.',
  },
  launch_data_projection_rows_total: {
    ...{ type: 'counter', labels: ['stage'], from: 'projections' },
    help: 'Rows that were written to the tables.',
  },
  launch_data_projection_batches_total: {
    ...{ type: 'counter', labels: ['stage'], from: 'projections' },
    help: 'Batches that were written to the tables.',
  },

  launch_data_cut_age_seconds: {
    ...{ type: 'gauge', labels: ['stage'], from: 'api' },
    help: 'Time since the newest cut of the stage. No sample before the first cut.',
  },
  launch_data_data_age_seconds: {
    ...{ type: 'gauge', labels: ['stage'], from: 'api' },
    help: 'Age of the newest block in answers, as /v1/health shows it. No sample before the first cut.',
  },
  launch_data_coin_price_age_seconds: {
    ...{ type: 'gauge', labels: ['stage'], from: 'api' },
    help: 'Age of the coin price in answers. No sample without a price.',
  },
  launch_data_http_requests_total: {
    ...{ type: 'counter', labels: ['route', 'status'], from: 'api' },
    help: 'Requests to the public port, by the pattern of the route (`none` without a route) and by status.',
  },
  launch_data_http_request_duration_seconds: {
    ...{ type: 'histogram', labels: ['route'], from: 'api', bounds: [0.005, 0.02, 0.1, 0.5, 2, 10, 30] },
    help: 'Time from a request to its answer. The transfer to the client does not count.',
  },
  launch_data_quotes_total: {
    ...{ type: 'counter', labels: [], from: 'api' },
    help: 'Requests without a payment that reached the payment gate. Most get a 402 with the price.',
  },
  launch_data_payments_total: {
    ...{ type: 'counter', labels: ['outcome'], from: 'api' },
    help: 'Requests with a payment, by outcome. A repeated payment counts again.',
  },
  launch_data_payments_running: {
    ...{ type: 'gauge', labels: [], from: 'api' },
    help: 'Requests with a payment that have no outcome yet.',
  },
  launch_data_payments_live: {
    ...{ type: 'gauge', labels: [], from: 'api' },
    help: '1 if the service takes payments, otherwise 0.',
  },
  launch_data_settled_payments_total: {
    ...{ type: 'counter', labels: [], from: 'api' },
    help: 'Settled payments according to the ledger, also those before the start.',
  },
  launch_data_revenue_dollars_total: {
    ...{ type: 'counter', labels: [], from: 'api' },
    help: 'Sum of the settled payments according to the ledger, also those before the start.',
  },
  launch_data_settlement_checks: {
    ...{ type: 'gauge', labels: ['result'], from: 'api' },
    help: 'Reported settlements since the start, by the result of the comparison with the chain: waiting, found, missing or unchecked.',
  },
  launch_data_stream_clients: {
    ...{ type: 'gauge', labels: [], from: 'api' },
    help: 'Clients that read the stream.',
  },
  launch_data_stream_catching_up: {
    ...{ type: 'gauge', labels: [], from: 'api' },
    help: 'Clients of the stream that get the events after their cursor now. At most 32 do at a time.',
  },
  launch_data_stream_closed_total: {
    ...{ type: 'counter', labels: ['reason'], from: 'api' },
    help: 'Streams that the service ended, by reason: expired, replaced, too_slow, shutdown or failed.',
  },
  launch_data_stream_resumes_total: {
    ...{ type: 'counter', labels: ['result'], from: 'api' },
    help: 'Streams that continue after a cursor, by result: done (all missed events were sent), ended (the client left before), failed (the log was not readable) or refused (the cursor was).',
  },
  launch_data_stream_events_again_total: {
    ...{ type: 'counter', labels: [], from: 'api' },
    help: 'Events that were sent again to streams that continue after a cursor.',
  },
} as const satisfies Readonly<Record<`launch_data_${string}`, Definition>>

export type MetricName = keyof typeof metricList

/** The definition of a metric by its name. */
export const definitionOf = (name: MetricName): Definition => metricList[name]
