import { gather, metricsText } from '../../infra/metrics/gather.ts'
import type { MetricsOfThread } from '../../infra/metrics/metrics.ts'

/** The samples of a scrape as `name{labels} value`, without the prefix `launch_data_` and the label `program`. */
export async function samplesOf({ readings }: Pick<MetricsOfThread, 'readings'>): Promise<readonly string[]> {
  const text = await metricsText(await gather([{ program: 'test', thread: 'main', readings }]))
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && !line.startsWith('launch_data_program_up'))
    .map((line) =>
      line
        .replace('launch_data_', '')
        .replace(/program="[^"]*",?/, '')
        .replace('{}', ''),
    )
}
