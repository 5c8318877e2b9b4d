import { type MetricName, metricList } from '../../../infra/metrics/list.ts'

export type Sample = Readonly<{
  name: string
  /** The metric in the list. It differs from `name` for the series of a histogram. */
  family: MetricName
  labels: Readonly<Record<string, string>>
  value: number
}>

/** The samples of a scrape in the text format of Prometheus. Fails if a line is not a sample of a listed metric. */
export function samplesIn(text: string): readonly Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labelText = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
      const labels = [...labelText.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key, text] as const)
      return { name, family: familyOf(name), labels: Object.fromEntries(labels), value: Number(value) }
    })
}

function familyOf(name: string): MetricName {
  const family = name in metricList ? name : name.replace(/_(bucket|sum|count)$/, '')
  if (!(family in metricList)) throw new RangeError(`the metric ${name} is not in the list`)
  return family as MetricName
}
