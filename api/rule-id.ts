/** How answers name exit rules. */
import { createHmac } from 'node:crypto'

/**
 * Stable and opaque; the baseline keeps its name. `scope` tells the rules of one chain from those of another that have the
 * same name and another definition.
 */
export const ruleIdOf = (rule: string, secret: string, scope = ''): string =>
  rule === 'hold' ? rule : `r${createHmac('sha256', secret).update(scope).update(rule).digest('hex').slice(0, 12)}`
