//! Tests a game between two people at two browsers.

use crate::everybody::violations;
use crate::support::{DESK, in_a_browser};

#[test]
fn two_friends_play_by_a_link_and_one_of_them_comes_back() {
    in_a_browser(DESK, async |page, _| {
        page.go("play?game=halma").await;
        page.open_advanced().await;
        page.pick("role", "0").await;
        for (name, value) in [("max-plies", "4"), ("begins", "black")] {
            let selector = format!("[name='{name}']");
            match name {
                "begins" => page.choose(&selector, value).await,
                _ => page.fill(&selector, value).await,
            }
        }
        page.click("[name=friend]").await;
        page.find("#invitation").await;
        page.fill("[name=name]", "<b>Ada</b>").await;
        let link = page
            .eval("document.querySelector('#invitation').value")
            .await;
        // Cookies belong to a host name, so the browser is another one under another name.
        let link = link
            .as_str()
            .expect("a link")
            .replace("127.0.0.1", "localhost");
        let host = page.client.window().await.expect("a window");
        let guest = page.client.new_window(true).await.expect("a window").handle;
        let go_to = async |window: &fantoccini::wd::WindowHandle| {
            let switched = page.client.switch_to_window(window.clone()).await;
            switched.expect("it is open");
        };
        go_to(&guest).await;
        page.client.goto(&link).await.expect("the page loads");
        page.find("#joining").await;
        assert_eq!(violations(page).await, "");
        page.click("#joining button").await;
        page.until_text("#status", "<b>Ada</b> is to move.").await;
        assert_eq!(page.count(".board .can-leave").await, 0);
        // The invitation is no longer in the address.
        let address = page.eval("location.hash.split('/').length").await;
        assert_eq!(address, 3);
        for ply in 0..4 {
            go_to(if ply % 2 == 0 { &host } else { &guest }).await;
            if ply == 1 {
                page.client.refresh().await.expect("the page loads");
            }
            page.until_text("#status", "Your move.").await;
            assert_eq!(page.moves().await, ply);
            page.click(".board .can-leave").await;
            page.click(".board .can-take").await;
            page.until(&format!(
                "document.querySelectorAll('.history li').length > {ply}"
            ))
            .await;
        }
        assert_eq!(violations(page).await, "");
        for window in [&guest, &host] {
            go_to(window).await;
            page.until_text("#status", "draw").await;
        }
        page.click("#rematch").await;
        page.find("#waiting").await;
        go_to(&guest).await;
        page.click("#rematch").await;
        page.until("/Your move|Guest is to move|Ada.* is to move/.test(document.querySelector('#status')?.textContent)")
            .await;
        assert_eq!(page.moves().await, 0);
        page.client.back().await.expect("the page loads");
        page.click("#review").await;
        page.until_text("#progress", "All moves are judged.").await;
        assert_eq!(page.count(".history li").await, 4);
    });
}
