import { readFileSync } from 'node:fs'

export const alertsFile = 'infra/monitoring/alerts.yaml'

/** Each alert of the file, with its name and the lines of its definition. */
export const alerts: readonly Readonly<{ name: string; text: string }>[] = readFileSync(alertsFile, 'utf8')
  .split('- alert: ')
  .slice(1)
  .map((text) => ({ name: String(text.split('\n')[0]), text }))
