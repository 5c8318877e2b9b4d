import { definitionOf, type MetricName, metricList } from '../../../infra/metrics/list.ts'

const exporters = {
  process: 'main thread',
  thread: 'every thread',
  ingest: '`ingest`',
  stages: '`process`',
  projections: '`project`',
  api: '`serve`',
} as const

/** The table of all metrics in the documentation. */
export function metricsTable(): string {
  const names = Object.keys(metricList) as MetricName[]
  const rows = names.map((name) => {
    const { type, labels, help, from } = definitionOf(name)
    return `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} | ${exporters[from]} |`
  })
  return `${['| metric | type | labels | meaning | exported by |', '| --- | --- | --- | --- | --- |', ...rows].join('\n')}\n`
}
