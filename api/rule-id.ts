import { createHmac } from 'node:crypto'

/**
 * Returns a stable, opaque id of an exit rule. The rule `hold`, with which other rules are compared, keeps
 * its name. `scope` separates rules of different chains that have the same name and different definitions.
 */
export const ruleIdOf = (rule: string, secret: string, scope = ''): string =>
  rule === 'hold' ? rule : `r${createHmac('sha256', secret).update(scope).update(rule).digest('hex').slice(0, 12)}`
