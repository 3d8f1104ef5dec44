/** Setup of an authenticator app: shows the secret, and verifies a first code from the app. */
import { DomainError } from '../../../../domain/errors.ts'
import type { AuthenticatorMethod } from '../../../../domain/user/events.ts'
import type { Services } from '../../services/services.ts'
import { newId } from '../../../kernel/ids.ts'
import { ceremonies } from '../ceremonies.ts'
import { recordUse } from '../method-use.ts'
import { AUTHENTICATOR_SECRET, newAuthenticatorSecret, otpauthUri, stepOf } from './codes.ts'

interface SetupCeremony {
  readonly secret: string
  readonly methodId: string
  /** Id of the session that the enrolment starts */
  readonly sessionId: string
}

export const authenticatorSetup = (
  deps: Pick<Services, 'vault' | 'clock' | 'random' | 'configuration' | 'pool'>,
) => {
  const { vault, clock, random, configuration, pool } = deps
  const sealed = ceremonies<SetupCeremony>(deps, 'authenticator-setup')

  return {
    /**
     * Creates a secret for the app, and the reference to send back with its first code.
     * @param place the link or session of the setup
     */
    begin: ({ email }: { readonly email: string }, place: string) => {
      const secret = newAuthenticatorSecret(random)
      const ceremony = { secret, methodId: newId('method'), sessionId: newId('session') }
      const { organizationName } = configuration.now().settings
      return {
        ceremonyId: sealed.begin(ceremony, place),
        secret,
        otpauthUri: otpauthUri(secret, organizationName, email),
      }
    },

    /**
     * Verifies the first code. It cannot be used again to sign in.
     * @param code six digits
     * @throws DomainError ERR_CEREMONY_EXPIRED, ERR_CODE_MISMATCH
     */
    finish: async (
      input: { readonly ceremonyId: string; readonly code: string; readonly name: string },
      place: string,
    ): Promise<{ method: AuthenticatorMethod; proofId: string }> => {
      const { secret, methodId, sessionId } = sealed.open(input.ceremonyId, place)
      const step = stepOf(secret, input.code, clock.now())
      if (step === null || !(await recordUse(pool, methodId, step, clock.now())))
        throw new DomainError('ERR_CODE_MISMATCH')
      return {
        proofId: sessionId,
        method: {
          methodId,
          methodType: 'authenticator_code',
          name: input.name,
          sealedSecret: vault.seal(AUTHENTICATOR_SECRET, secret, methodId),
        },
      }
    },
  }
}
