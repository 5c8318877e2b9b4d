/**
 * The version of the post parser. Every mention and card in the log contains it. Increase it with each change
 * after which a post can give another result.
 */
export const parserVersion = 2
