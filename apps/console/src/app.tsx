import { ReeveProvider } from '@reeve/client/react';
import { Screens } from './screens.tsx';
import { Shell } from './shell/shell.tsx';
import { WaitingShell } from './shell/waiting-shell.tsx';
import { SignInPage } from './sign-in/sign-in-page.tsx';
import { useSignIn } from './sign-in/use-sign-in.ts';
import { Loading } from './ui/loading.tsx';
import { NoticeBoard } from './ui/notice-board.tsx';

/** Everything: who is signed in sees the screens, everybody else is asked for the token. */
export function App() {
  const signIn = useSignIn();
  switch (signIn.state.kind) {
    case 'checking':
      // Who has a token is most likely let in: where one can go need not wait for it.
      return signIn.state.hasToken ? (
        <WaitingShell isAway={signIn.state.isAway} onSignOut={signIn.leave} />
      ) : (
        <Loading what="the server" />
      );
    case 'signed-out':
      return <SignInPage problem={signIn.state.problem} onToken={signIn.enter} />;
    case 'signed-in':
      return (
        <ReeveProvider reeve={signIn.state.reeve}>
          <NoticeBoard>
            <Shell onSignOut={signIn.leave}>
              <Screens />
            </Shell>
          </NoticeBoard>
        </ReeveProvider>
      );
  }
}
