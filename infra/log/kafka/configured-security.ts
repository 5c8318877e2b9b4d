/** What the configuration says about encryption and passwords of the cluster. */
import { readFileSync } from 'node:fs'
import type { Config } from '../../config.ts'
import { OperationError } from '../../errors.ts'
import type { KafkaSecurity } from '../../kafka-client/security.ts'
import type { Logger } from '../../telemetry.ts'

/** Fails with `config_invalid` where the file of certificates cannot be read. */
export function kafkaSecurity(config: Config): KafkaSecurity {
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password } = config
  const isLogin = mechanism !== undefined && username !== undefined && password !== undefined
  return {
    ...(config.KAFKA_SSL === true && { ssl: trusted(config.KAFKA_SSL_CA_FILE) }),
    ...(isLogin && { sasl: { mechanism, username, password } }),
  }
}

export const clearPasswordText =
  'the password of KAFKA_SASL_PASSWORD goes to the brokers in the clear: KAFKA_SASL_MECHANISM is plain, and without KAFKA_SSL=true nothing encrypts it'

/** PLAIN sends the password itself, for whoever listens on the way; scram only proves that it is known. */
export const sendsPasswordInClear = ({ KAFKA_BROKERS, KAFKA_SASL_MECHANISM, KAFKA_SSL }: Config): boolean =>
  KAFKA_BROKERS !== undefined && KAFKA_SASL_MECHANISM === 'plain' && KAFKA_SSL !== true

/** Once for a process, however many of its threads open the log. */
export function warnOfClearPassword(config: Config, logger: Pick<Logger, 'warn'>): void {
  if (sendsPasswordInClear(config)) logger.warn(clearPasswordText)
}

function trusted(file: string | undefined): Readonly<{ ca?: string }> {
  if (file === undefined) return {}
  try {
    return { ca: readFileSync(file, 'utf8') }
  } catch (cause) {
    throw new OperationError('config_invalid', `KAFKA_SSL_CA_FILE: ${file} cannot be read`, { cause })
  }
}
