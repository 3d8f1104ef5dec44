import { errors, type ErrorCode } from '../../../../domain/errors.ts'
import { germanMessages } from '../../../../domain/errors-german.ts'
import type { Language } from '../../../kernel/language.ts'
import { errorText, hasErrorText } from './error-texts.ts'

/** Returns the text for the code of an API error, in the language of the page. */
export const messageOf = (code: ErrorCode, language: Language): string => {
  if (hasErrorText(code)) return errorText(code, undefined, language).message
  return (language === 'de' ? germanMessages[code] : undefined) ?? errors[code].message
}
