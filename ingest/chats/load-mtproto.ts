import { OperationError } from '../../infra/errors.ts'

/** Loads a module. Fails with `dependency_missing` if the optional package is not installed. */
async function loaded<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause
    throw new OperationError(
      'dependency_missing',
      'following chats with an account needs the package @mtcute/node, which is not installed. Install it, or unset CHAT_API_ID',
      { cause },
    )
  }
}

export const loadMtproto = () => loaded(() => import('./mtproto/open-reader.ts'))
export const loadLogin = () => loaded(() => import('./mtproto/login.ts'))
export const loadAccountCheck = () => loaded(() => import('./mtproto/check-account.ts'))
