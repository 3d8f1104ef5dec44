import { findUser } from '../../../read-models/queries/users.ts'
import type { Services } from '../../application/services/services.ts'
import { languageOf, type Language } from '../../kernel/language.ts'

/** Returns the language that a user has set; null if none is set, or one without pages. */
export const userLanguage = async (
  { pool, clock }: Pick<Services, 'pool' | 'clock'>,
  userId: string | undefined,
): Promise<Language | null> =>
  userId === undefined ? null : languageOf((await findUser(pool, userId, clock.now()))?.locale)
