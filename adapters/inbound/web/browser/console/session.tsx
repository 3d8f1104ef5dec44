/** The signed-in user and what their roles allow. The API decides; this only hides what it would refuse. */
import { createContext, useContext, type ReactNode } from 'react'
import { allows, type Role } from '../../../../../domain/roles.ts'
import type { UserRecord } from './records.ts'

const Context = createContext<UserRecord | null>(null)

export const SessionProvider = ({
  user,
  children,
}: {
  readonly user: UserRecord
  readonly children: ReactNode
}) => <Context value={user}>{children}</Context>

export const useSession = (): UserRecord => {
  const user = useContext(Context)
  if (user === null) throw new Error('no session')
  return user
}

/** Whether the user has one of these roles; global administrators have all of them. */
export const useMay = (...asked: readonly Role[]): boolean => allows(useSession().roleKeys, asked)
