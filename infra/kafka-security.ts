/** What the configuration says about encryption and passwords of the cluster. */
import { readFileSync } from 'node:fs'
import type { Config } from './config.ts'
import { OperationError } from './errors.ts'
import type { KafkaSecurity } from './log/kafka/security.ts'

/** Fails with `config_invalid` where the file of certificates cannot be read. */
export function kafkaSecurity(config: Config): KafkaSecurity {
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password } = config
  const isLogin = mechanism !== undefined && username !== undefined && password !== undefined
  return {
    ...(config.KAFKA_SSL === true && { ssl: trusted(config.KAFKA_SSL_CA_FILE) }),
    ...(isLogin && { sasl: { mechanism, username, password } }),
  }
}

function trusted(file: string | undefined): Readonly<{ ca?: string }> {
  if (file === undefined) return {}
  try {
    return { ca: readFileSync(file, 'utf8') }
  } catch (cause) {
    throw new OperationError('config_invalid', `KAFKA_SSL_CA_FILE: ${file} cannot be read`, { cause })
  }
}
