import {
  ClientCredentialsProvider,
  CrossAppAccessProvider,
  type OAuthClientInformationMixed,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthTokens,
  PrivateKeyJwtProvider,
  requestJwtAuthorizationGrant,
} from '@modelcontextprotocol/client';

/** What the suite tells the client of a scenario beside the address (`MCP_CONFORMANCE_CONTEXT`). */
export type ScenarioContext = Readonly<Record<string, string>>;

/** Where the suite's authorization server sends the browser; nothing listens there, the code is in the address. */
const REDIRECT = 'http://localhost:3000/callback';
const CLIENT_METADATA_URL = 'https://conformance-test.local/client-metadata.json';

/** Signs in without a person: whatever page would be opened is fetched, and the code taken from where it leads. */
export class LoneSignIn implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadataUrl = CLIENT_METADATA_URL;
  readonly clientMetadata: OAuthClientMetadata = {
    client_name: 'reeve-conformance',
    redirect_uris: [REDIRECT],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  };
  #information: OAuthClientInformationMixed | undefined;
  #tokens: OAuthTokens | undefined;
  #verifier = '';
  #code: URLSearchParams | undefined;

  constructor({ client_id, client_secret }: ScenarioContext) {
    if (client_id !== undefined)
      this.#information = { client_id, ...(client_secret === undefined ? {} : { client_secret }) };
  }

  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.#information;
  }
  saveClientInformation(information: OAuthClientInformationMixed): void {
    this.#information = information;
  }
  tokens(): OAuthTokens | undefined {
    return this.#tokens;
  }
  saveTokens(tokens: OAuthTokens): void {
    this.#tokens = tokens;
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  codeVerifier(): string {
    return this.#verifier;
  }
  async redirectToAuthorization(page: URL): Promise<void> {
    const { headers } = await fetch(page, { redirect: 'manual' });
    this.#code = new URL(headers.get('location') ?? REDIRECT).searchParams;
  }

  /** The parameters of the last redirection, once. */
  takeCode(): URLSearchParams | undefined {
    const code = this.#code;
    this.#code = undefined;
    return code;
  }
}

/** How the client of a scenario proves who it is; undefined where the scenario is not about authorization. */
export function signInOf(scenario: string, context: ScenarioContext): OAuthClientProvider | undefined {
  const { client_id = '', client_secret = '', private_key_pem = '', signing_algorithm = '' } = context;
  switch (scenario) {
    case 'auth/client-credentials-jwt':
      return new PrivateKeyJwtProvider({
        clientId: client_id,
        privateKey: private_key_pem,
        algorithm: signing_algorithm,
      });
    case 'auth/client-credentials-basic':
      return new ClientCredentialsProvider({ clientId: client_id, clientSecret: client_secret });
    case 'auth/cross-app-access-complete-flow':
      return new CrossAppAccessProvider({
        clientId: client_id,
        clientSecret: client_secret,
        assertion: async ({ authorizationServerUrl, resourceUrl, scope, fetchFn }) => {
          const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
            tokenEndpoint: context.idp_token_endpoint ?? '',
            audience: authorizationServerUrl,
            resource: resourceUrl,
            idToken: context.idp_id_token ?? '',
            clientId: context.idp_client_id ?? '',
            ...(scope === undefined ? {} : { scope }),
            fetchFn,
          });
          return jwtAuthGrant;
        },
      });
    default:
      return scenario.startsWith('auth/') ? new LoneSignIn(context) : undefined;
  }
}
