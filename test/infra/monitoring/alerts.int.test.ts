import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { hasPromtool, promtool } from '../../support/promtool.ts'
import { alerts, alertsFile } from './alert-names.ts'

/** The values of a series in the notation of promtool, one for each minute of four hours. */
const constant = (value: number) => `${value}x240`
const rising = (start: number, step: number) => `${start}${step < 0 ? '-' : '+'}${Math.abs(step)}x240`

type SeriesOfTest = Readonly<Record<string, string>>

const of = (labels: string) => `{job="launch-data",instance="a",program="serve"${labels === '' ? '' : `,${labels}`}}`
const chainA = of('stage="chain-a"')
const partition = of('stage="chain-a",partition="0"')
const thread = of('thread="main"')

/** The series of a service without faults. */
const healthy: SeriesOfTest = {
  'up{job="launch-data",instance="a"}': constant(1),
  [`launch_data_start_timestamp_seconds${of('')}`]: constant(1000),
  [`launch_data_program_up${thread}`]: constant(1),
  [`launch_data_ready${of('')}`]: constant(1),
  [`launch_data_data_age_seconds${chainA}`]: constant(2),
  [`launch_data_ingest_block_age_seconds${chainA}`]: constant(2),
  [`launch_data_ingest_tick_age_seconds${chainA}`]: constant(1),
  [`launch_data_stage_lag_seconds${partition}`]: constant(1),
  [`launch_data_projection_lag_seconds${partition}`]: constant(2),
  [`launch_data_coin_price_age_seconds${chainA}`]: constant(600),
  [`launch_data_payments_live${of('')}`]: constant(1),
  [`launch_data_payments_total${of('outcome="paid"')}`]: rising(0, 60),
  [`launch_data_payments_total${of('outcome="handler_failed"')}`]: rising(0, 1),
  [`launch_data_settlement_checks${of('result="missing"')}`]: constant(0),
  [`launch_data_settlement_checks${of('result="unchecked"')}`]: constant(3),
  [`launch_data_http_requests_total${of('route="/",status="500"')}`]: constant(1),
  [`launch_data_http_request_duration_seconds_bucket${of('route="/",le="0.5"')}`]: rising(0, 60),
  [`launch_data_http_request_duration_seconds_bucket${of('route="/",le="10"')}`]: rising(0, 60),
  [`launch_data_http_request_duration_seconds_bucket${of('route="/",le="+Inf"')}`]: rising(0, 60),
  [`launch_data_logged_lines_total${of('thread="main",level="error"')}`]: constant(1),
  [`launch_data_logged_lines_total${of('thread="main",level="warn"')}`]: rising(0, 1),
  [`launch_data_event_loop_busy_seconds_total${thread}`]: rising(0, 30),
  [`launch_data_gc_duration_seconds_sum${of('thread="main",kind="minor"')}`]: rising(0, 1),
  [`launch_data_heap_used_bytes${thread}`]: constant(1e9),
  [`launch_data_heap_limit_bytes${thread}`]: constant(4e9),
  [`launch_data_data_dir_free_bytes${of('')}`]: constant(1e11),
  [`launch_data_archive_failures${of('')}`]: constant(0),
}

/** For each alert, the series that differ from those of a healthy service. */
const faults: Readonly<Record<string, SeriesOfTest>> = {
  LaunchDataDown: { 'up{job="launch-data",instance="a"}': constant(0) },
  LaunchDataRestarts: { [`launch_data_start_timestamp_seconds${of('')}`]: rising(1000, 1000) },
  LaunchDataThreadSilent: { [`launch_data_program_up${thread}`]: constant(0) },
  LaunchDataNotReady: { [`launch_data_ready${of('')}`]: constant(0) },
  LaunchDataDataStale: { [`launch_data_data_age_seconds${chainA}`]: constant(121) },
  LaunchDataIngestBehind: { [`launch_data_ingest_block_age_seconds${chainA}`]: constant(121) },
  LaunchDataIngestStuck: { [`launch_data_ingest_tick_age_seconds${chainA}`]: constant(61) },
  LaunchDataStageBehind: { [`launch_data_stage_lag_seconds${partition}`]: constant(32) },
  LaunchDataProjectionBehind: { [`launch_data_projection_lag_seconds${partition}`]: constant(32) },
  LaunchDataCoinPriceOld: { [`launch_data_coin_price_age_seconds${chainA}`]: constant(90_001) },
  LaunchDataPaymentsNotLive: { [`launch_data_payments_live${of('')}`]: constant(0) },
  LaunchDataPaymentsFail: { [`launch_data_payments_total${of('outcome="facilitator_failed"')}`]: rising(0, 5) },
  LaunchDataTransferMissing: { [`launch_data_settlement_checks${of('result="missing"')}`]: constant(1) },
  LaunchDataSettlementsUnchecked: { [`launch_data_settlement_checks${of('result="unchecked"')}`]: rising(0, 1) },
  LaunchDataServerErrors: { [`launch_data_http_requests_total${of('route="/",status="500"')}`]: rising(0, 1) },
  LaunchDataSlowAnswers: {
    [`launch_data_http_request_duration_seconds_bucket${of('route="/",le="0.5"')}`]: constant(0),
  },
  LaunchDataErrorsLogged: { [`launch_data_logged_lines_total${of('thread="main",level="error"')}`]: rising(0, 1) },
  LaunchDataThreadSaturated: { [`launch_data_event_loop_busy_seconds_total${thread}`]: rising(0, 59) },
  LaunchDataGarbageCollection: {
    [`launch_data_gc_duration_seconds_sum${of('thread="main",kind="minor"')}`]: rising(0, 15),
  },
  LaunchDataHeapNearLimit: { [`launch_data_heap_used_bytes${thread}`]: constant(3.5e9) },
  LaunchDataDiskFull: { [`launch_data_data_dir_free_bytes${of('')}`]: rising(1e11, -1e8) },
  LaunchDataArchiveFails: { [`launch_data_archive_failures${of('')}`]: constant(1) },
}

/** The input of promtool: the series of one service, and the alerts that fire after four hours. JSON is also YAML. */
const testOf = (series: SeriesOfTest, firing: readonly string[]) => ({
  interval: '1m',
  input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
  promql_expr_test: [
    {
      expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
      eval_time: '4h',
      exp_samples: firing.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
    },
  ],
})

if (hasPromtool)
  describe('the alerts in Prometheus', () => {
    const folder = mkdtempSync(join(tmpdir(), 'launch-data-alerts-'))
    after(() => rmSync(folder, { recursive: true }))

    const check = (name: string, series: SeriesOfTest, firing: readonly string[]) => {
      const file = join(folder, `${name}.json`)
      const ruleFiles = ['infra/monitoring/rules.yaml', alertsFile].map((path) => resolve(path))
      writeFileSync(file, JSON.stringify({ rule_files: ruleFiles, tests: [testOf(series, firing)] }))
      expect(promtool(['test', 'rules', file])).to.contain('SUCCESS')
    }

    it('are valid, with the recording rules and the example of a configuration', () => {
      expect(promtool(['check', 'config', 'infra/monitoring/prometheus.yaml'])).to.contain('2 rule files found')
    })

    it('are silent while the service has no fault', () => check('healthy', healthy, []))

    it('each have a fault in this test', () => {
      expect(Object.keys(faults)).to.deep.equal(alerts.map(({ name }) => name))
    })

    for (const [name, fault] of Object.entries(faults))
      it(`fire alone at their fault: ${name}`, () => check(name, { ...healthy, ...fault }, [name]))

    it('fire when the disk is nearly full, also if its use does not grow', () =>
      check('disk', { ...healthy, [`launch_data_data_dir_free_bytes${of('')}`]: constant(1e9) }, [
        'LaunchDataDiskFull',
      ]))
  })
