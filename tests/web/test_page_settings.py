"""Language and password."""

from flask import Flask

from tests.web.forms import Browser, browser_of


def test_the_browsers_language_is_used_until_one_is_chosen(app: Flask) -> None:
    browser = browser_of(app, "ann")
    chinese = browser.get("/", headers={"Accept-Language": "zh-CN,zh;q=0.9"})
    assert '<html lang="zh-CN">' in chinese.text
    assert '<html lang="en">' in browser.get("/").text


def test_a_chosen_language_stays_with_the_person(app: Flask) -> None:
    assert browser_of(app, "ann").post("/language", lang="zh", next="/hosts").location == "/hosts"
    elsewhere = browser_of(app, "ann").get("/hosts")
    assert "添加服务器" in elsewhere.text


def test_a_stranger_chooses_the_language_of_the_sign_in_page(app: Flask) -> None:
    browser = Browser(app, app.test_client())
    browser.post("/language", lang="zh", next="/sign-in")
    assert "登录" in browser.get("/sign-in").text


def test_an_unknown_language_is_refused(app: Flask) -> None:
    assert browser_of(app, "ann").post("/language", lang="xx").status_code == 400


def test_choosing_a_language_takes_no_get(app: Flask) -> None:
    assert browser_of(app, "ann").get("/language").status_code == 405


def test_the_first_password_needs_no_old_one_and_the_second_does(app: Flask) -> None:
    browser = browser_of(app, "ann")
    assert browser.post("/settings/password", new="a good password").status_code == 303
    assert browser.post("/settings/password", new="another password").status_code == 403
    again = browser.post("/settings/password", old="a good password", new="another password")
    assert again.status_code == 303


def test_a_short_password_is_refused_in_the_persons_language(app: Flask) -> None:
    browser = browser_of(app, "ann")
    browser.post("/language", lang="zh")
    response = browser.post("/settings/password", new="short")
    assert response.status_code == 400
    assert "密码至少需要 8 个字符。" in response.text


def test_a_new_password_ends_the_other_browsers_and_keeps_this_one(app: Flask) -> None:
    browser, other = browser_of(app, "ann"), browser_of(app, "ann")
    browser.post("/settings/password", new="a good password")
    assert browser.get("/settings").status_code == 200
    assert other.get("/settings").location == "/sign-in?next=%2Fsettings"
