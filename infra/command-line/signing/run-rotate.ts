/** `launch-data rotate-signing-key`: makes a new key for signed answers, and prints from when on it signs. */
import type { Config } from '../../config.ts'
import { rotateSigningKey } from '../../data-dir/signing-keys.ts'
import { OperationError } from '../../errors.ts'

export type RotateOptions = Readonly<{ after: string; revoke?: boolean }>

const secondsMax = 86_400

type Running = Readonly<{ config: Pick<Config, 'DATA_DIR'>; print: (text: string) => void }>

export async function runRotate(options: RotateOptions, { config, print }: Running): Promise<void> {
  const { DATA_DIR: dataDir } = config
  const { revoke: revokes = false } = options
  const afterMs = 1000 * secondsOf(options.after)
  const { id, fromMs, publishedCount } = await rotateSigningKey({ dataDir, nowMs: Date.now, afterMs, revokes })
  const others = publishedCount - 1
  print(
    [
      `the new key ${id} signs from ${new Date(fromMs).toISOString()} on`,
      revokes
        ? 'No earlier key is published any more. Answers that were signed with them cannot be verified.'
        : `${others} earlier ${others === 1 ? 'key stays' : 'keys stay'} published, so that old answers can be verified.`,
      'A running service reads the new key within five seconds. Make a backup of DATA_DIR.',
      '',
    ].join('\n'),
  )
}

function secondsOf(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= secondsMax) return Number(text)
  throw new OperationError('config_invalid', `--after must be a whole number of seconds from 0 to ${secondsMax}`)
}
