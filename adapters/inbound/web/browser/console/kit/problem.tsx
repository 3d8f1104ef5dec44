/** Errors, in words and with a way on. */
import { ApiError } from '../api.ts'
import { useTexts } from '../text.tsx'
import { Button } from './button.tsx'
import { commonTexts } from './common-texts.ts'

const signInPath = (): string =>
  `/sign-in?again=1&return=${encodeURIComponent(location.pathname + location.search)}`

const codeOf = (error: Error): string => (error instanceof ApiError ? error.code : 'ERR_INTERNAL')

/** Returns what to say about an error. */
export const useProblemText = (): ((error: Error) => string) => {
  const text = useTexts(commonTexts)
  const known: Readonly<Record<string, string>> = {
    ERR_NETWORK: text.unavailable,
    ERR_UNAVAILABLE: text.unavailable,
    ERR_NOT_FOUND: text.missing,
    ERR_FORBIDDEN: text.forbidden,
    ERR_REAUTH_REQUIRED: text.proof,
    ERR_STRONGER_AUTH_REQUIRED: text.stronger,
  }
  return (error) => known[codeOf(error)] ?? error.message
}

/** Errors that another attempt has again. */
const lasting = ['ERR_NOT_FOUND', 'ERR_FORBIDDEN']

/** `retry` is offered for errors that another attempt may not have. */
export const Problem = ({
  error,
  retry,
}: {
  readonly error: Error
  readonly retry?: (() => void) | undefined
}) => {
  const text = useTexts(commonTexts)
  const problemText = useProblemText()
  const code = codeOf(error)
  const signIn =
    code === 'ERR_UNAUTHENTICATED' || code === 'ERR_REAUTH_REQUIRED' || code === 'ERR_STRONGER_AUTH_REQUIRED'
  return (
    <div className="notice notice-problem" role="alert">
      <div>
        <p>{problemText(error)}</p>
        {signIn && (
          <p>
            <a href={signInPath()}>{text.signInAgain}</a>
          </p>
        )}
        {!signIn && retry !== undefined && !lasting.includes(code) && (
          <Button small onClick={retry}>
            {text.retry}
          </Button>
        )}
      </div>
    </div>
  )
}
