interface Whose {
  applicationId: string
  userId: string
  /** The provisioning configuration that links it. */
  generation: number
}

/** An action in an application for one user. */
export type ProvisionedAccountEvent =
  | {
      type: 'provisioned_account.created'
      data: Whose & {
        /** The account's id in the application. */
        remoteId: string
        /** Whether the account existed before, and was found by its user name. */
        adopted: boolean
      }
    }
  | { type: 'provisioned_account.updated'; data: Whose & { reactivated: boolean } }
  | { type: 'provisioned_account.deactivated'; data: Whose }
