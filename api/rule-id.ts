import { createHmac } from 'node:crypto'

/**
 * Returns a stable, opaque id. The baseline `hold` keeps its name. `scope` separates rules of different chains that
 * share a name but not a definition.
 */
export const ruleIdOf = (rule: string, secret: string, scope = ''): string =>
  rule === 'hold' ? rule : `r${createHmac('sha256', secret).update(scope).update(rule).digest('hex').slice(0, 12)}`
